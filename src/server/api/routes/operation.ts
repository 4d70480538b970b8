import { Hono } from "hono";
import { z } from "zod";
import { type Viewer, isOperator } from "../../../app/people/viewer.ts";
import { PROVIDERS } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import { countBacklog } from "../../../storage/backlog.ts";
import { usedSince } from "../../../storage/costs.ts";
import { listDeadLetters } from "../../../storage/dead-letters.ts";
import { ping } from "../../../storage/migrate.ts";
import type { PageEnv } from "../../login.ts";
import type { ApiDeps } from "../deps.ts";
import { told } from "../describe.ts";
import { time, timeOf } from "../shapes/basics.ts";
import { deadLetterSchema, shownLetter } from "../shapes/queue.ts";

const DAY_MS = 86_400_000;

export const queueSchema = z
  .object({
    waiting: z.int().meta({ description: "Deliveries that wait." }),
    oldest_seconds: z.number(),
    dead_lettered: z.int(),
  })
  .meta({ id: "Queue" });
export const deadLettersSchema = z.object({ dead_letters: z.array(deadLetterSchema) }).meta({ id: "DeadLetters" });
export const todaySchema = z
  .object({ specs: z.int(), requests: z.int(), cost_usd: z.number() })
  .meta({ id: "Today", description: "What was written, opened and spent since midnight, in UTC." });
export const meSchema = z
  .object({
    login: z.string(),
    provider: z.enum(PROVIDERS).nullable().meta({ description: "Null for who runs Relay, and sees everything." }),
    operator: z.boolean(),
    token: z.string().nullable().meta({ description: "The name of the personal token that calls for them." }),
  })
  .meta({ id: "Me" });
export const checkSchema = z
  .object({ name: z.string(), ok: z.boolean(), detail: z.string(), mend: z.string().nullable() })
  .meta({ id: "Check", description: "A row of `relay doctor`; `mend` says how to fix it." });
export const doctorSchema = z
  .object({
    looked_at: time.nullable().meta({ description: "When the look began, in the process that answers." }),
    looking: z.boolean().meta({ description: "Whether it goes on: there are more rows to come." }),
    checks: z.array(checkSchema),
  })
  .meta({ id: "Doctor" });
export const healthSchema = z
  .object({
    status: z.literal("ready"),
    doctor: doctorSchema.nullable().meta({ description: "Null for who does not run Relay." }),
  })
  .meta({ id: "Health" });
export const versionSchema = z.object({ version: z.string(), api: z.literal("v1") }).meta({ id: "Version" });

/** Queue, dead letters, health, version, and the caller. */
export function operationRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db, clock, version, doctor } = deps;
  const routes = new Hono<PageEnv>();

  routes.get(
    "/queue",
    told({
      id: "getQueue",
      tag: "operation",
      summary: "What waits to be worked off.",
      answer: queueSchema,
      refusals: [403],
    }),
    async (c) => {
      operatorOnly(c.get("viewer"), "the queue");
      const { waiting, oldestSeconds, deadLettered } = await countBacklog(db(), clock);
      const answer: z.infer<typeof queueSchema> = {
        waiting,
        oldest_seconds: oldestSeconds,
        dead_lettered: deadLettered,
      };
      return c.json(answer);
    },
  );

  routes.get(
    "/dead-letters",
    told({
      id: "listDeadLetters",
      tag: "operation",
      summary: "What failed for good, oldest first, at most 1000; `retry` of its issue tries it again.",
      answer: deadLettersSchema,
    }),
    async (c) => {
      const found = await listDeadLetters(db(), { sight: c.get("viewer") });
      const answer: z.infer<typeof deadLettersSchema> = { dead_letters: found.map(shownLetter) };
      return c.json(answer);
    },
  );

  routes.get(
    "/today",
    told({ id: "getToday", tag: "figures", summary: "Specs, requests and dollars of today.", answer: todaySchema }),
    async (c) => {
      const now = clock.now().getTime();
      const used = await usedSince(db(), new Date(now - (now % DAY_MS)), c.get("viewer").repositories);
      const answer: z.infer<typeof todaySchema> = { specs: used.specs, requests: used.requests, cost_usd: used.usd };
      return c.json(answer);
    },
  );

  routes.get("/me", told({ id: "getMe", tag: "operation", summary: "Who calls.", answer: meSchema }), (c) => {
    const { login, provider, token } = c.get("viewer");
    const answer: z.infer<typeof meSchema> = {
      login,
      provider,
      operator: provider === null,
      token: token?.name ?? null,
    };
    return c.json(answer);
  });

  const found = (): z.infer<typeof doctorSchema> => {
    const { at, looking, checks } = doctor.known();
    return {
      looked_at: at === null ? null : timeOf(at),
      looking,
      checks: checks.map(({ name, ok, detail, mend }) => ({ name, ok, detail, mend: mend ?? null })),
    };
  };
  routes.get(
    "/health",
    told({
      id: "getHealth",
      tag: "operation",
      summary: "Whether the database answers, and what `relay doctor` finds; looked at again after ten minutes.",
      description: "`/healthz` and `/readyz` tell load balancers whether it answers, without a login.",
      answer: healthSchema,
    }),
    async (c) => {
      await ping(db());
      const answer: z.infer<typeof healthSchema> = {
        status: "ready",
        doctor: isOperator(c.get("viewer")) ? found() : null,
      };
      return c.json(answer);
    },
  );

  routes.post(
    "/health/look",
    told({
      id: "lookAgain",
      tag: "operation",
      summary: "Has `relay doctor` look again, unless it does; `/health` has what it finds.",
      status: 202,
      answer: doctorSchema,
      refusals: [403, 415],
    }),
    (c) => {
      operatorOnly(c.get("viewer"), "a look of the doctor");
      doctor.look();
      return c.json(found(), 202);
    },
  );

  routes.get(
    "/version",
    told({ id: "getVersion", tag: "operation", summary: "The version of Relay.", answer: versionSchema }),
    (c) => {
      const answer: z.infer<typeof versionSchema> = { version, api: "v1" };
      return c.json(answer);
    },
  );
  return routes;
}

function operatorOnly(viewer: Viewer, what: string): void {
  if (!isOperator(viewer)) throw new RelayError("forbidden", `${what} is for who runs Relay`);
}
