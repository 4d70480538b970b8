import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { showComment, showIssue } from "../present/issue.ts";
import { showFullPull, showReview, showReviewComment } from "../present/pull.ts";
import type { MockGithub } from "../server.ts";
import { Act } from "../world/acts.ts";
import { Manifest, submitManifest } from "../world/manifests.ts";
import { perform } from "../world/perform.ts";
import { Seed } from "../world/seed.ts";
import type { Delivery } from "../hooks/courier.ts";
import { Lag } from "../../support/lag.ts";
import { FaultRule, faultOf } from "./faults.ts";
import { isPull } from "./rights.ts";

const Courier = z.object({
  fate: z.enum(["send", "hold", "fail", "lose", "twice"]).optional(),
  atOnce: z.number().int().positive().optional(),
  patience: z.number().positive().optional(),
  release: z.enum(["in_order", "reversed"]).optional(),
  /** Sends again all that were not delivered. */
  redeliverFailed: z.boolean().default(false),
});
/** Deliveries of a kind, of one issue or of all. */
const Kind = z.object({ event: z.string().optional(), action: z.string().optional(), number: z.number().optional() });
/** The next so many of a kind come late. */
const Late = Kind.extend({ ms: z.number(), times: z.number().default(1) });
const Submitted = z.object({ owner: z.string(), manifest: Manifest });
/** A payload of any making, for the hooks of a repository. */
const Anything = z.object({ repo: z.string(), event: z.string(), payload: z.record(z.string(), z.unknown()) });
const Limits = z.object({
  limit: z.number().optional(),
  writesPerMinute: z.number().optional(),
  status: z.union([z.literal(403), z.literal(429)]).optional(),
});

/** What tests in other processes turn and read: `POST /_mock/act`, `GET /_mock/requests` and so on. */
export async function control(mock: MockGithub, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(`http://mock${incoming.url}`);
  const does = `${incoming.method} ${url.pathname.slice("/_mock/".length)}`;
  const say = (status: number, body: unknown) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  try {
    const body: unknown = incoming.method === "POST" ? await json(incoming) : null;
    const answer = await turn(mock, does, url.searchParams, body);
    if (answer === undefined) say(404, { message: `the mock's control has no ${does}` });
    else say(200, answer);
  } catch (error) {
    say(400, { message: error instanceof Error ? error.message : String(error) });
  }
}

async function turn(mock: MockGithub, does: string, query: URLSearchParams, body: unknown): Promise<unknown> {
  const { world } = mock;
  switch (does) {
    case "POST act":
      return perform(world, Act.parse(body));
    case "POST acts":
      return z
        .array(Act)
        .parse(body)
        .map((act) => perform(world, act));
    case "POST seed":
      return mock.plant(Seed.parse(body));
    case "POST tokens":
      return mock.plant({ tokens: Seed.shape.tokens.parse(body) });
    case "POST manifest": {
      const { owner, manifest } = Submitted.parse(body);
      return { code: submitManifest(world, owner, manifest) };
    }
    case "POST faults":
      // The whole list anew, each with its own count.
      world.faults = z.array(FaultRule).parse(body).map(faultOf);
      return { faults: world.faults.length };
    case "POST fault":
      // One more, before those that are there.
      world.faults.unshift(faultOf(FaultRule.parse(body)));
      return {};
    case "POST limits":
      Object.assign(world.limits, Limits.parse(body));
      return {};
    case "POST courier":
      return turnCourier(mock, Courier.parse(body));
    case "POST lags":
      world.lags.rules = z.array(Lag).parse(body);
      return {};
    case "POST late": {
      // One more, behind those that are there.
      const { ms, times, ...kind } = Late.parse(body);
      world.courier.late.push({ fits: (delivery) => fits(delivery, kind), ms, times });
      return {};
    }
    case "POST replay": {
      const kind = Kind.parse(body);
      const found = world.courier.made.filter((delivery) => fits(delivery, kind));
      for (const delivery of found) world.courier.replay(delivery);
      return { replayed: found.length };
    }
    case "POST deliver": {
      const { repo, event, payload } = Anything.parse(body);
      const { action } = z.object({ action: z.string().nullable().default(null) }).parse(payload);
      const repository = world.repository(repo);
      world.courier.tell(repository, event, () => ({ event, action, repository, payload }));
      return {};
    }
    case "GET settled":
      await world.courier.settled();
      return { attempts: world.courier.attempts.length };
    case "GET deliveries":
      return world.courier.attempts.map(({ delivery, deliveredAt, redelivery, status, code }) => {
        const { guid, event, action } = delivery;
        const number = numberOf(delivery);
        return { guid, event, action, number, deliveredAt, redelivery, status, code };
      });
    case "GET requests":
      return { requests: mock.requests, violations: mock.violations, mistakes: mock.mistakes };
    case "GET unanswered":
      return mock.requests.filter(({ status }) => status === null).map(({ method, path }) => ({ method, path }));
    case "GET issues": {
      const repository = world.repository(query.get("repo") ?? "");
      return [...repository.items.values()].map((item) => ({
        ...showIssue(world, repository, item),
        thread: item.comments.map((comment) => ({
          ...showComment(world, repository, item, comment),
          reacted: comment.reactions,
        })),
        reacted: item.reactions,
      }));
    }
    case "GET pulls": {
      const repository = world.repository(query.get("repo") ?? "");
      return [...repository.items.values()].filter(isPull).map((item) => ({
        ...showFullPull(world, repository, item),
        thread: item.comments.map((comment) => showComment(world, repository, item, comment)),
        reviews: item.pull.reviews.map((review) => showReview(world, repository, item, review)),
        review_thread: item.pull.comments.map((comment) => showReviewComment(world, repository, item, comment)),
      }));
    }
    default:
      return undefined;
  }
}

function fits(delivery: Delivery, { event, action, number }: z.output<typeof Kind>): boolean {
  if ((event !== undefined && event !== delivery.event) || (action !== undefined && action !== delivery.action))
    return false;
  return number === undefined || number === numberOf(delivery);
}

/** Of the issue that it tells of. */
function numberOf({ text }: Delivery): number | null {
  const about = z.object({ issue: z.object({ number: z.number() }) }).safeParse(JSON.parse(text));
  return about.data?.issue.number ?? null;
}

function turnCourier({ world }: MockGithub, change: z.output<typeof Courier>): unknown {
  const { courier } = world;
  const { fate } = change;
  if (fate !== undefined) {
    courier.fate = () => fate;
    courier.late = [];
  }
  if (change.atOnce !== undefined) courier.atOnce = change.atOnce;
  if (change.patience !== undefined) courier.patience = change.patience;
  if (change.release !== undefined) {
    const { release } = change;
    courier.release((held) => (release === "reversed" ? held.toReversed() : held));
  }
  if (change.redeliverFailed) {
    const reached = new Set(courier.attempts.filter(({ code }) => code < 300).map(({ delivery }) => delivery.guid));
    const failed = new Map(courier.attempts.map((attempt) => [attempt.delivery.guid, attempt]));
    for (const [guid, attempt] of failed) if (!reached.has(guid)) courier.redeliver(attempt);
  }
  return { held: courier.held.length };
}
