import type { z } from "zod";
import type { EventKind, UndatedEvent } from "../../../domain/event.ts";
import { buildEvent } from "../../../domain/event.ts";
import type { Origin, pullRequestPayload } from "./webhook-payloads.ts";

export type Telling =
  /** `besides` is what tells this happening from another one with the same events. */
  { kind: "events"; events: [UndatedEvent, ...UndatedEvent[]]; besides: unknown[] } | { kind: "ignored" };

export const IGNORED: Telling = { kind: "ignored" };

export function eventOf(
  { repository, sender }: Origin,
  kind: EventKind,
  externalIssueId: string,
  at: Date | null | undefined,
  details: Partial<UndatedEvent>,
): UndatedEvent {
  return buildEvent({
    provider: "github",
    externalProjectId: repository.full_name,
    externalIssueId,
    kind,
    ...(typeof repository.id === "number" ? { stableProjectId: String(repository.id) } : {}),
    actor: sender.login,
    actorIsBot: sender.type === "Bot" || sender.login.endsWith("[bot]"),
    ...details,
    at: at ?? null,
  });
}

/** No request of Relay's comes from the default branch. */
export function mayBeHead({ repository }: Origin, branch: string | null | undefined): branch is string {
  return branch !== null && branch !== undefined && branch !== "" && branch !== repository.default_branch;
}

export function pullRequestId(number: number): string {
  return `!${number}`;
}

/** Anybody can give a branch of a fork the name of one of Relay's: those are not told. */
export function ownBranch(
  origin: Origin,
  head: z.infer<typeof pullRequestPayload>["pull_request"]["head"],
): string | null {
  return isHere(origin, head?.repo) ? (head?.ref ?? null) : null;
}

export function isHere({ repository }: Origin, other: { id: number } | null | undefined): boolean {
  return other !== null && other !== undefined && other.id === repository.id;
}
