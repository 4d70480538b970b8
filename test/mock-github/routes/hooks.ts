import { z } from "zod";
import { tellPing } from "../effects/ping.ts";
import type { Attempt } from "../hooks/attempt.ts";
import { type Answer, created, invalid, notFound, ok, refuse } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, numberParam } from "../http/call.ts";
import { linkTo, pageOf, perPage } from "../http/paging.ts";
import { notFoundFor, repositoryOf } from "../http/rights.ts";
import { appAsking } from "./app.ts";
import { showAttempt, showConfig, showFullAttempt, showHook } from "../present/hook.ts";
import type { Hook, Repository } from "../world/entities.ts";

const Config = z.object({
  url: z.string().optional(),
  content_type: z.string().optional(),
  secret: z.string().optional(),
  insecure_ssl: z.union([z.string(), z.number()]).optional(),
});
const NewHook = z.object({
  name: z.string().optional(),
  config: Config.optional(),
  events: z.array(z.string()).default(["push"]),
  active: z.boolean().default(true),
});
const Change = z.object({
  config: Config.optional(),
  events: z.array(z.string()).optional(),
  add_events: z.array(z.string()).default([]),
  remove_events: z.array(z.string()).default([]),
  active: z.boolean().optional(),
});

/** Hooks are for administrators; for the others there are none. */
function administered(call: Call, level: "read" | "write" = "read"): Repository {
  return notFoundFor(() => repositoryOf(call, { anyOf: ["repository_hooks"], level, role: "admin" }));
}

function hookOf(call: Call, repository: Repository): Hook {
  const hook = repository.hooks.find((each) => each.id === numberParam(call, "hook_id"));
  if (hook === undefined) throw notFound();
  return hook;
}

function attemptsOf(call: Call, hook: Hook): Attempt[] {
  return call.world.courier.attempts.filter((each) => each.delivery.hook === hook);
}

/** Newest first, by a cursor: there is a next page, and neither a last nor one before. */
function list(call: Call, hook: Hook): Answer {
  const status = call.query.get("status");
  // They are kept for three days.
  const oldest = call.world.clock.now().getTime() - 3 * 86_400_000;
  const all = attemptsOf(call, hook)
    .filter(({ deliveredAt }) => deliveredAt.getTime() > oldest)
    .filter(({ code }) => status === null || (status === "success") === (code >= 200 && code < 300))
    .toReversed();
  const cursor = call.query.get("cursor");
  const from = cursor === null ? Number.POSITIVE_INFINITY : Number(/^v1_(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(from)) throw refuse(400, "Invalid cursor");
  const rest = all.filter(({ id }) => id < from);
  const page = rest.slice(0, perPage(call));
  const body = page.map(showAttempt);
  const last = page.at(-1);
  if (last === undefined || page.length === rest.length) return ok(body);
  return { status: 200, body, headers: { link: `<${linkTo(call, { cursor: `v1_${last.id}` })}>; rel="next"` } };
}

function attemptOf(call: Call, hook: Hook): Attempt {
  const attempt = attemptsOf(call, hook).find((each) => each.id === numberParam(call, "delivery_id"));
  if (attempt === undefined) throw notFound();
  return attempt;
}

function redeliver(call: Call, hook: Hook): Answer {
  call.world.courier.redeliver(attemptOf(call, hook));
  return { status: 202, body: {} };
}

/** The hook of the App that asks. */
function own(call: Call): Hook {
  const { hook } = appAsking(call);
  if (hook === null) throw notFound();
  return hook;
}

export const hookRoutes: Routes = {
  "repos/list-webhooks": (call) => {
    const repository = administered(call);
    return pageOf(call, repository.hooks, (hook) => showHook(call.world, repository, hook));
  },

  "repos/get-webhook": (call) => {
    const repository = administered(call);
    return ok(showHook(call.world, repository, hookOf(call, repository)));
  },

  "repos/create-webhook": (call) => {
    const repository = administered(call, "write");
    const wanted = bodyOf(call, NewHook);
    const url = wanted.config?.url;
    if (url === undefined) throw invalid({ resource: "Hook", code: "missing_field", field: "url" });
    const same = repository.hooks.find((hook) => hook.url === url && hook.events.join() === wanted.events.join());
    const message = "Hook already exists on this repository";
    if (same) throw invalid({ resource: "Hook", code: "custom", message });
    const hook: Hook = {
      id: call.world.nextId(),
      url,
      secret: wanted.config?.secret ?? "",
      events: wanted.events,
      active: wanted.active,
      createdAt: call.world.now(),
    };
    repository.hooks.push(hook);
    tellPing(call.world, repository, hook);
    const shown = showHook(call.world, repository, hook);
    return created(shown, shown.url);
  },

  "repos/update-webhook": (call) => {
    const repository = administered(call, "write");
    const hook = hookOf(call, repository);
    const change = bodyOf(call, Change);
    hook.active = change.active ?? hook.active;
    const kept = (change.events ?? hook.events).filter((event) => !change.remove_events.includes(event));
    hook.events = [...new Set([...kept, ...change.add_events])];
    // A new configuration without a secret takes the old one away.
    if (change.config) Object.assign(hook, { url: change.config.url ?? hook.url, secret: change.config.secret ?? "" });
    return ok(showHook(call.world, repository, hook));
  },

  "repos/list-webhook-deliveries": (call) => list(call, hookOf(call, administered(call))),
  "repos/get-webhook-delivery": (call) => ok(showFullAttempt(attemptOf(call, hookOf(call, administered(call))))),
  "repos/redeliver-webhook-delivery": (call) => redeliver(call, hookOf(call, administered(call, "write"))),

  "apps/get-webhook-config-for-app": (call) => ok(showConfig(own(call))),
  "apps/update-webhook-config-for-app": (call) => {
    const hook = own(call);
    const { url, secret } = bodyOf(call, Config);
    Object.assign(hook, { url: url ?? hook.url, secret: secret ?? hook.secret });
    return ok(showConfig(hook));
  },
  "apps/list-webhook-deliveries": (call) => list(call, own(call)),
  "apps/get-webhook-delivery": (call) => ok(showFullAttempt(attemptOf(call, own(call)))),
  "apps/redeliver-webhook-delivery": (call) => redeliver(call, own(call)),
};
