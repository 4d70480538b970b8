import { isServed } from "../../config/served-repositories.ts";
import type { Config } from "../../config/config.ts";
import type { Environment } from "../../lib/secret-variable.ts";
import { type TrackerEvent, isSpeech } from "../../domain/event.ts";
import type { HostedName } from "../../domain/issue.ts";
import { isAmong } from "../../domain/login.ts";
import type { Delivery } from "../../intake/receive.ts";
import { isBots } from "../../intake/decide.ts";
import type { Clock } from "../../lib/clock.ts";
import { RelayError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/text.ts";
import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import type { Push } from "../../adapters/trackers/webhook.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** The event that a job of a tracker's CI was started with. */
export interface CiEvent {
  provider: HostedName;
  /** The project of the job; null where its variables do not say it. */
  project: string | null;
  meaning:
    | { kind: "delivery"; delivery: Delivery }
    | { kind: "access"; account: string }
    | { kind: "pushed"; push: Push }
    /** A schedule or a person started the job to look for lost events. */
    | { kind: "scheduled" }
    /** Nothing for Relay; `why` ends a sentence. */
    | { kind: "nothing"; why: string };
}

/**
 * Reads an event like its webhook call, except for the signature: a job's own files need none. The delivery's id comes
 * from the content, so a job that is started again delivers nothing again (R-IN-2).
 *
 * @param file the payload, and what messages call it
 * @param name the event's name, for trackers whose payload does not say it
 * @throws RelayError `invalid` for anything that is no event
 */
export async function readCiEvent(
  { body, name: file }: { body: Uint8Array; name: string },
  name: string | null,
  { config, env, clock }: { config: Config; env: Environment; clock: Clock },
): Promise<CiEvent> {
  const event = jsonIn(body, file);
  const named = HOSTED_PROVIDERS.map((one) => ({ one, name: name ?? variable(env, one.ci.nameIn) }));
  // Trackers that name the event in its own payload come first.
  const [found] = named
    .filter((each) => each.one.ci.isOwn(each.name, event))
    .toSorted((a, b) => Number(b.one.ci.nameIn === null) - Number(a.one.ci.nameIn === null));
  if (found === undefined) {
    throw new RelayError("invalid", "the event does not say what it is; give its name, such as --name issue_comment");
  }
  const { one, name: called } = found;
  const about = { provider: one.name, project: variable(env, one.ci.projectIn) };
  if (called !== null && one.ci.scheduled.includes(called)) return { ...about, meaning: { kind: "scheduled" } };
  const id = `event-${sha256Of(JSON.stringify([called, ordered(event)]))}`;
  const reader = await one.webhooks({ secrets: [], clock });
  const reading = reader.read(one.ci.callOf({ name: called, id, body }));
  const nothing = (why: string): CiEvent => ({ ...about, meaning: { kind: "nothing", why } });
  switch (reading.kind) {
    case "malformed":
      throw new RelayError("invalid", `${file} is no event that can be read: ${reading.problem}`);
    case "ignored":
      return nothing(`${reading.what} is nothing that Relay acts on`);
    case "access":
      return { ...about, meaning: { kind: "access", account: reading.account } };
    case "pushed":
      if (!isServed(reading.push.externalProjectId, config)) return nothing(NOT_SERVED);
      return { ...about, project: about.project ?? reading.push.externalProjectId, meaning: reading };
    case "events": {
      const { events, deliveryId, contentKey } = reading;
      const project = about.project ?? events[0].externalProjectId;
      if (!events.some(({ externalProjectId }) => isServed(externalProjectId, config))) return nothing(NOT_SERVED);
      const delivery = { provider: one.name, deliveryId, contentKey, events };
      return { ...about, project, meaning: { kind: "delivery", delivery } };
    }
    default:
      return reading satisfies never;
  }
}

const NOT_SERVED = "its repository is none that Relay works in";

/**
 * Why Relay ignores a delivery; null if it does not. Comments by Relay itself or by other bots start jobs too, which
 * need no state.
 *
 * @param names logins of Relay
 */
export function whyNoWork(
  events: readonly TrackerEvent[],
  { names, respondToBots }: { names: readonly string[]; respondToBots: boolean },
): string | null {
  if (!events.every(isWords)) return null;
  if (events.every(({ actor }) => isAmong(actor, names))) return "it is Relay's own doing";
  return !respondToBots && events.every(isBots) ? "it is another bot's" : null;
}

/** Whether an event says something, rather than that something has happened. */
function isWords(event: TrackerEvent): boolean {
  return isSpeech(event) || event.kind === "labelled" || event.kind === "edited";
}

function variable(env: Environment, name: string | null): string | null {
  return name === null ? null : (env[name] ?? null);
}

function jsonIn(body: Uint8Array, file: string): Record<string, unknown> {
  const value = parsed(body);
  if (isRecord(value)) return value;
  const what = body.length === 0 ? "is empty" : value === undefined ? "is no JSON document" : "has no JSON object";
  throw new RelayError("invalid", `${file} ${what}; give the file of the event that the job was started with`);
}

/** Undefined where it is no JSON. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The same for any order of keys. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => ordered(one));
  if (!isRecord(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, ordered(inner)]);
}
