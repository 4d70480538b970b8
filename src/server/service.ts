import type { Config } from "../config/config.ts";
import { type Runtime, openRuntime } from "../app/runtime.ts";
import type { Relay } from "../app/relay.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Role } from "../app/roles.ts";

/** The open resources of a serving process. */
export interface Service {
  /** The base for receiving webhooks; throws `unavailable` until it is open. */
  runtime: () => Runtime;
  /** All the rest, opened on first use: a process that only receives webhooks does not need it. */
  relay: () => Promise<Relay>;
  /** Opens everything the roles need; closes what was opened if that fails. */
  open: () => Promise<Runtime>;
  close: () => Promise<void>;
}

/** `onOpen` is called before anything works: deliveries can be received from then on. */
export function serviceOf(
  config: Config,
  roles: ReadonlySet<Role>,
  log: Log,
  onOpen: (runtime: Runtime) => void,
): Service {
  let runtime: Runtime | null = null;
  let rest: Promise<Relay> | null = null;
  let close = nothing;
  const restOn = async (base: Runtime): Promise<Relay> =>
    await (rest ??= openRest(config, log, base).catch((error: unknown) => {
      // The next caller retries.
      rest = null;
      throw error;
    }));
  const there = () => {
    if (runtime === null) throw new RelayError("unavailable", "Relay is starting");
    return runtime;
  };
  const closeAll = async () => {
    const relay = await rest?.catch(() => null);
    // It closes its runtime too.
    await (relay?.close() ?? close());
  };
  return {
    runtime: there,
    relay: async () => await restOn(there()),
    open: async () => {
      const opened = await openRuntime(config, log);
      close = opened.close;
      try {
        const works = roles.has("planner") || (roles.has("worker") && config.work.agent !== undefined);
        if (works) opened.willWork();
        // Create the job tables before the first webhook, which must not wait for the rest to load.
        await opened.queue();
        runtime = opened;
        onOpen(opened);
        if (works) await startWork(config, roles, log, await restOn(opened));
        else if (roles.has("worker")) log.info({}, NO_AGENT);
        return opened;
      } catch (error) {
        runtime = null;
        await closeAll();
        rest = null;
        close = nothing;
        throw error;
      }
    },
    close: closeAll,
  };
}

const nothing = async () => await Promise.resolve();
const NO_AGENT = "no coding agent is configured, so nothing is carried out; see work.agent";

/** Loads the engine. */
async function openRest(config: Config, log: Log, runtime: Runtime): Promise<Relay> {
  const { openRelay } = await import("../app/relay.ts");
  return await openRelay(config, { log, runtime, plansLocally: true });
}

async function startWork(config: Config, roles: ReadonlySet<Role>, log: Log, relay: Relay): Promise<void> {
  // The local tracker is then the only one: it has the repository in which Relay was started, if there is one.
  if (relay.isLocalOnly) {
    const connecting = relay.connectLocal(process.cwd());
    await connecting.catch((error: unknown) => log.info({ why: messageOf(error) }, "no repository here"));
  }
  if (roles.has("planner")) await relay.work(config.concurrency);
  // Without a coding agent Relay only plans, and tasks wait for a person.
  if (roles.has("worker") && config.work.agent === undefined) log.info({}, NO_AGENT);
  else if (roles.has("worker")) await relay.takeTasks(config.work.concurrency);
}
