import { createHmac, randomUUID } from "node:crypto";
import { z } from "zod";
import { sleep } from "../../src/lib/clock.ts";
import type { Hook, HookEvent, Project, State } from "./state.ts";

export type Subject = Exclude<keyof Hook["events"], "confidentialIssues" | "confidentialNotes">;
/** Called with what a hook of the project would say. */
export type Announce = (project: Project, subject: Subject, payload: () => Record<string, unknown>) => void;

const NAMES: Record<Subject, { header: string; trigger: string }> = {
  issues: { header: "Issue Hook", trigger: "issue_hooks" },
  notes: { header: "Note Hook", trigger: "note_hooks" },
  mergeRequests: { header: "Merge Request Hook", trigger: "merge_request_hooks" },
  pipelines: { header: "Pipeline Hook", trigger: "pipeline_hooks" },
  emoji: { header: "Emoji Hook", trigger: "emoji_hooks" },
};

/** What is waiting to be sent, in the order of its making. */
export interface Delivery {
  hook: Hook;
  trigger: string;
  headers: Record<string, string>;
  body: string;
}

/** Some deliveries, by what their bodies say of themselves. */
export interface Kind {
  /** `issue` or `note`. */
  kind?: string | undefined;
  action?: string | undefined;
  iid?: number | undefined;
}

export interface Hooks {
  announce: Announce;
  /** With `hold`, deliveries wait in `held` until `release`. */
  policy: "send" | "hold" | "drop";
  held: Delivery[];
  /** Those of a kind come so many milliseconds late, the first so many of them. */
  late: (Kind & { ms: number; times: number })[];
  /** Sends again what was sent, under a new key, as whoever has caught it may; how much that was. */
  replay(kind: Kind): number;
  /** Sends what was held, in the order that the function makes of it: it may also repeat and leave out. */
  release(order?: (held: Delivery[]) => Delivery[]): Promise<void>;
  /** Sends one delivery of the log again: under its old key, as GitLab does when somebody asks for it. */
  resend(hook: Hook, event: HookEvent): Promise<HookEvent>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/**
 * GitLab sends each delivery once, whatever the answer is: only its log can be asked for what failed. Deliveries of
 * one request share `X-Gitlab-Event-UUID`; what stays the same when one is sent again is `Idempotency-Key` alone.
 */
export function startHooks(state: State, origin: () => string): Hooks {
  const underWay = new Set<Promise<unknown>>();
  const made: Delivery[] = [];

  const send = async (delivery: Delivery): Promise<HookEvent> => {
    const { hook, trigger, headers, body } = delivery;
    const event: HookEvent = {
      id: state.nextId(),
      trigger,
      headers,
      body,
      responseStatus: "internal error",
      responseBody: "",
      createdAt: state.now(),
    };
    hook.log.push(event);
    try {
      const response = await fetch(hook.url, {
        method: "POST",
        headers: { ...headers, ...signature(hook, headers, body) },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      event.responseBody = (await response.text()).slice(0, 8_192);
      event.responseStatus = String(response.status);
    } catch {
      // Stays in the log as an internal error.
    }
    return event;
  };

  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
    return work;
  };

  const hooks: Hooks = {
    policy: "send",
    held: [],
    late: [],
    announce: (project, subject, payload) => {
      if (project.hooks.length === 0 || hooks.policy === "drop") return;
      const request = randomUUID();
      for (const hook of project.hooks) {
        const told = payload();
        if (!hook.events[isConfidential(told) ? (CONFIDENTIAL[subject] ?? subject) : subject]) continue;
        const delivery = deliveryOf(hook, subject, { payload: told, request, origin: origin() });
        made.push(delivery);
        const late = hooks.late.find((one) => one.times > 0 && fits(delivery, one));
        if (late) late.times -= 1;
        if (hooks.policy === "send") void track(late ? sleep(late.ms).then(() => send(delivery)) : send(delivery));
        if (hooks.policy === "hold") hooks.held.push(delivery);
      }
    },
    replay: (kind) => {
      const found = made.filter((delivery) => fits(delivery, kind));
      for (const one of found) {
        void track(send({ ...one, headers: { ...one.headers, ...keys(), "X-Gitlab-Event-UUID": randomUUID() } }));
      }
      return found.length;
    },
    release: async (order = (held) => held) => {
      const held = hooks.held.splice(0);
      // One after another, so that the order is the one that was asked for.
      for (const delivery of order(held)) await track(send(delivery));
    },
    resend: async (hook, event) => {
      const headers = { ...event.headers, "X-Gitlab-Webhook-UUID": randomUUID() };
      return await track(send({ hook, trigger: event.trigger, headers, body: event.body }));
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
  return hooks;
}

/** Each hook is asked for these apart. */
const CONFIDENTIAL: Partial<Record<Subject, keyof Hook["events"]>> = {
  issues: "confidentialIssues",
  notes: "confidentialNotes",
};

function isConfidential(payload: Record<string, unknown>): boolean {
  return String(payload["event_type"]).startsWith("confidential_");
}

function deliveryOf(
  hook: Hook,
  subject: Subject,
  { payload, request, origin }: { payload: Record<string, unknown>; request: string; origin: string },
): Delivery {
  const { header, trigger } = NAMES[subject];
  const confidential = isConfidential(payload) ? "Confidential " : "";
  return {
    hook,
    trigger,
    body: JSON.stringify(payload),
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "GitLab/18.11.0",
      ...keys(),
      "X-Gitlab-Event": `${confidential}${header}`,
      "X-Gitlab-Event-UUID": request,
      "X-Gitlab-Instance": origin,
      ...(hook.token === null ? {} : { "X-Gitlab-Token": hook.token }),
    },
  };
}

/** What is another for each delivery. */
function keys(): Record<string, string> {
  return { "Idempotency-Key": randomUUID(), "X-Gitlab-Webhook-UUID": randomUUID() };
}

const about = z.object({
  object_kind: z.string(),
  object_attributes: z.object({ action: z.string().optional(), iid: z.number().optional() }),
  issue: z.object({ iid: z.number() }).optional(),
});

/** Of the issue that it tells of. */
function iidOf({ body }: Delivery): number | undefined {
  const { object_attributes, issue } = about.parse(JSON.parse(body));
  return issue?.iid ?? object_attributes.iid;
}

function fits(delivery: Delivery, { kind, action, iid }: Kind): boolean {
  const { object_kind, object_attributes } = about.parse(JSON.parse(delivery.body));
  if ((kind !== undefined && object_kind !== kind) || (action !== undefined && action !== object_attributes.action))
    return false;
  return iid === undefined || iid === iidOf(delivery);
}

/** The scheme of Standard Webhooks: the key's bytes sign `id.timestamp.body`. */
function signature(hook: Hook, headers: Record<string, string>, body: string): Record<string, string> {
  if (hook.signingToken === null) return {};
  const id = headers["Idempotency-Key"] ?? "";
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(hook.signingToken.replace(/^whsec_/, ""), "base64");
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${digest}` };
}
