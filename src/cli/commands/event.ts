import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import { type CiEvent, readCiEvent } from "../../app/ci/event.ts";
import type { HostedName } from "../../domain/issue.ts";
import type { EventOutcome } from "../../app/ci/process-event.ts";
import type { Config } from "../../config/config.ts";
import { environment } from "../../config/environment.ts";
import { systemClock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { jsonLog } from "../../lib/json-log.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";
import { readEventFile } from "../input-files.ts";
import { configOf } from "../session.ts";

export interface EventOptions extends CommonOptions {
  name?: string;
  repo?: string;
  state: "database" | "branch";
  branch: string;
  minutes: string;
  leaseSeconds: string;
}

/** What `relay event --json` prints. */
export type EventAnswer = { provider: HostedName } & EventOutcome;

/**
 * `relay event FILE`: takes one event in, works off what is due, and ends: Relay in the jobs of a tracker's CI, without
 * a server (docs/ci.md).
 */
export async function event(file: string, options: EventOptions, terminal: Terminal): Promise<number> {
  const config = HOSTED_PROVIDERS.reduce<Config>(
    (known, { inJob }) => inJob?.(known, environment()) ?? known,
    configOf(options, terminal),
  );
  const limits = {
    branch: options.state === "branch" ? options.branch : null,
    forMs: numberIn("--minutes", options.minutes) * 60_000,
    leaseMs: numberIn("--lease-seconds", options.leaseSeconds) * 1_000,
  };
  if (limits.branch === null && config.database_url === undefined) {
    throw new RelayError("usage", "a job's own database ends with it; set DATABASE_URL, or give --state branch");
  }
  const given = { config, env: environment(), clock: systemClock };
  const read = await readCiEvent(await readEventFile(file, terminal), options.name ?? null, given);
  const about: CiEvent = { ...read, project: options.repo ?? read.project };
  const log = jsonLog(options.debug ? "debug" : (config.log_level ?? "warn"));
  const stopping = new AbortController();
  const stop = () => {
    // Once more ends it at once.
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    terminal.err("relay: stopping; what is there is stored first (once more ends it at once)\n");
    stopping.abort();
  };
  for (const name of SIGNALS) process.on(name, stop);
  try {
    // Most of Relay is behind this import, and most events are nothing to it.
    const { processEvent } = await import("../../app/ci/process-event.ts");
    const outcome = await processEvent(about, config, { ...limits, signal: stopping.signal }, log);
    if (options.json) printJson<EventAnswer>(terminal, { provider: about.provider, ...outcome });
    else terminal.out(`${sentence(outcome)}\n`);
    return stopping.signal.aborted ? EXIT.interrupted : codeOf(outcome);
  } catch (error) {
    if (stopping.signal.aborted) return EXIT.interrupted;
    throw error;
  } finally {
    for (const name of SIGNALS) process.off(name, stop);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

function numberIn(option: string, text: string): number {
  const number = Number(text);
  if (/^\d{1,6}(?:\.\d{1,3})?$/.test(text) && number > 0) return number;
  throw new RelayError("usage", `${option} must be a number above 0, not “${text}”`);
}

function codeOf(outcome: EventOutcome): number {
  switch (outcome.kind) {
    case "nothing":
      return EXIT.done;
    case "done":
      return outcome.issues.some(({ unprocessed }) => unprocessed > 0) ? EXIT.outside : EXIT.done;
    case "unfinished":
      return EXIT.negative;
    case "busy":
      return EXIT.outside;
    default:
      return outcome satisfies never;
  }
}

function sentence(outcome: EventOutcome): string {
  switch (outcome.kind) {
    case "nothing":
      return `Nothing to do: ${outcome.why}.`;
    case "busy":
      return "Not taken in: another job held the state all the time; start this job again.";
    case "unfinished":
      return `The time is up; the next event goes on, or this job started again. ${whereIn(outcome)}`.trim();
    case "done":
      return `${outcome.isRepeated ? "Taken in before; " : ""}${whereIn(outcome) || "done: no issue is waiting for Relay."}`;
    default:
      return outcome satisfies never;
  }
}

function whereIn({ issues }: Extract<EventOutcome, { kind: "done" | "unfinished" }>): string {
  const lines = issues.map(({ issue, state, words, unprocessed }) => {
    const open = unprocessed === 0 ? "" : ` ${unprocessed} event(s) could not be taken in yet; start this job again.`;
    return `${issue} is ${state}: ${words}${open}`;
  });
  return lines.join(" ");
}
