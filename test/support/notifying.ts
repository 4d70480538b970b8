import { noticesOf, takeNotices } from "../../src/app/notices.ts";
import { type Config, configSchema } from "../../src/config/schema.ts";
import { createExecutor } from "../../src/engine/transition.ts";
import type { OrchestratorDeps } from "../../src/engine/wake.ts";
import { silentLog } from "../../src/lib/log.ts";
import type { Queue } from "../../src/storage/queue/queue.ts";
import { SIGNING_SECRET } from "./notice-receiver.ts";
import type { Life } from "./relay.ts";

/** A part of the configuration of targets, with `url` for where each of them is. */
type Targets = readonly { name: string; kind?: "slack"; [key: string]: unknown }[];

/** Has a Relay in this process tell targets at `url`: `change` its parts, and `begin` once it is open. */
export function notifying(url: string, targets: Targets) {
  const queue = Promise.withResolvers<Queue>();
  const env: Record<string, string> = { SECRET: SIGNING_SECRET, WHERE: "" };
  const config: Config = configSchema.parse({
    server: { public_url: "https://relay.example.org/" },
    notifications: targets.map(({ kind = "webhook", ...target }) =>
      kind === "slack"
        ? { ...target, kind, url_env: "WHERE" }
        : { ...target, kind, url: `${url}/${target.name}`, secret_env: "SECRET" },
    ),
  });
  env["WHERE"] = `${url}/services/T0/B0/a-secret-of-slack`;
  return {
    config,
    change: (deps: OrchestratorDeps): Partial<OrchestratorDeps> => {
      const told = noticesOf(config, { ...deps, queue: async () => await queue.promise, works: () => true });
      return { ...told, transition: createExecutor({ ...deps, ...deps.jobs, ...told }) };
    },
    /** Gives its notices a queue, from which nobody takes them so far. */
    connect: (life: Pick<Life, "queue">) => queue.resolve(life.queue),
    begin: async (life: Pick<Life, "queue" | "db" | "clock">) => {
      queue.resolve(life.queue);
      await takeNotices(life.queue, config, { ...life, log: silentLog, env });
    },
  };
}
