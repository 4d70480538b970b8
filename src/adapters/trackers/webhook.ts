import type { TrackerEvent, UndatedEvent } from "../../domain/event.ts";
import type { Provider } from "../../domain/issue.ts";
import type { Clock } from "../../lib/clock.ts";

/** A webhook call as it came in. */
export interface WebhookCall {
  headers: Headers;
  /** The bytes that were signed. */
  body: Uint8Array;
}

/** Commits that were pushed to the default branch of a project. */
export interface Push {
  externalProjectId: string;
  /** The tracker's own id of the project; null if the call has none. */
  stableProjectId: string | null;
  /** The branch's new head. */
  commit: string;
  /** All files that the commits touch; null if the call does not name all of them, or too many. */
  files: string[] | null;
}

/** What a call means; `ignored` calls do not concern Relay, and are acknowledged all the same. */
export type WebhookReading =
  | {
      kind: "events";
      /** The tracker's id of the delivery, the same when it delivers again. */
      deliveryId: string;
      /** A hash of the content, to recognize the same change under another delivery id (R-IN-2). */
      contentKey: string;
      /** At least one: a call may report several changes. They are in the order to process them in. */
      events: [TrackerEvent, ...TrackerEvent[]];
    }
  /** From now on, Relay may work in repositories of this account, or do more there. */
  | { kind: "access"; account: string }
  | { kind: "pushed"; push: Push }
  | { kind: "ignored"; what: string }
  | { kind: "malformed"; problem: string };

/** Reads the webhook calls of one provider. Nothing here throws on what a stranger sends. */
export interface WebhookReader {
  readonly provider: Provider;
  /** Whether headers can be those of a signed call: otherwise its body need not be read (R-SAFE-9). */
  mayBeSigned(headers: Headers): boolean;
  /** Whether the call carries the secret's signature, compared in constant time (R-IN-1). */
  isSigned(call: WebhookCall): Promise<boolean>;
  /** For signed calls only. Ignores the fields that Relay does not use. */
  read(call: WebhookCall): WebhookReading;
}

/** With more files than this, or longer names in total, files are not listed. */
const MOST_FILES = 300;
const MOST_CHARACTERS = 20_000;

type PushedCommit = { [list in "added" | "modified" | "removed"]?: readonly string[] | null | undefined };

/** The files of pushed commits; null where a list is missing, or they are too many. */
export function filesIn(commits: readonly PushedCommit[]): string[] | null {
  const lists = commits.flatMap(({ added, modified, removed }) => [added, modified, removed]);
  if (lists.some((list) => list === undefined || list === null)) return null;
  const files = [...new Set(lists.flatMap((list) => list ?? []))];
  return files.length > MOST_FILES || files.join("").length > MOST_CHARACTERS ? null : files;
}

export function malformed(problem: string): WebhookReading {
  return { kind: "malformed", problem };
}

/** An event whose payload does not say when it happened gets the time of its delivery. */
export function dated(event: UndatedEvent, clock: Clock): TrackerEvent {
  return { ...event, at: event.at ?? clock.now() };
}

/** Compares addresses of webhooks, ignoring a trailing slash and the case of the host. */
export function leadsTo(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/\/$/, "");
}
