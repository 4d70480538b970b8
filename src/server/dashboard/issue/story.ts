import type { ThreadMessage } from "../../../domain/conversation.ts";
import type { Gap } from "../../../domain/gap.ts";
import { sameLogin } from "../../../domain/login.ts";
import type { AuditEntry } from "../../../domain/cycle.ts";
import { isRecord, oneLine } from "../../../lib/text.ts";
import { ISSUE_STATES } from "../../../domain/lifecycle.ts";
import type { StoredCall } from "../../../storage/model-calls.ts";
import { dollars, spanText } from "../document.ts";
import { STATE_WORDS, agentName, sizeText } from "../words.ts";

interface Chip {
  text: string;
  why: string | null;
}

/** One thing in the story of an issue, as people lived it. */
export type Scene =
  /** `made`: what Relay made of the words, with why. */
  | { kind: "message"; at: Date; message: ThreadMessage; made: Chip[] }
  /** Relay's own words, with why it said them. */
  | { kind: "said"; at: Date; text: string; why: string | null }
  | { kind: "step"; at: Date; actor: string; text: string; why: string | null }
  /** Small things in between. */
  | { kind: "folded"; at: Date; lines: { at: Date; text: string }[]; summary: string };

/** Steps that change where an issue stands; everything else folds. */
const STEPS: Record<string, (after: Record<string, unknown>, entry: AuditEntry) => string> = {
  "issue.engaged": () => "called Relay",
  "spec.written": ({ complexity }) => `Spec written${sizeText(textOf(complexity))}`,
  "plan.posted": ({ version }) => `Plan ${textOf(version)} posted`,
  "plan.confirmed": ({ permission }) => `said yes to the plan (${textOf(permission)} access)`,
  "run.started": ({ agent, branch }) => `Work began: ${agentName(textOf(agent))} on ${textOf(branch)}`,
  "branch.pushed": ({ branch, to }) => `Pushed ${textOf(to).slice(0, 10)} to ${textOf(branch)}`,
  "request.opened": ({ request }) => `Opened request ${textOf(request)}`,
  "review.taken_up": ({ words }) => `Took up the review (${textOf(words)} asked for)`,
};

/** What happened, oldest first: messages with what was made of them, Relay's words with why, and steps; pure. */
export function scenesOf(
  messages: readonly ThreadMessage[],
  audit: readonly AuditEntry[],
  { calls, gaps }: { calls: readonly StoredCall[]; gaps: readonly Pick<Gap, "number" | "answeredIn">[] },
): Scene[] {
  const made = chipsOf(messages, audit, gaps);
  const own = new Set(
    audit.flatMap(({ what, after }) => (what === "comment.posted" ? [fields(after)["comment_id"]] : [])),
  );
  const told = messages
    .filter(({ externalId }) => !own.has(externalId))
    .map((message): Scene => ({
      kind: "message",
      at: message.timestamp,
      message,
      made: made.get(message.externalId) ?? [],
    }));
  const done = audit.flatMap((entry) => sceneOf(entry) ?? []);
  return folded(
    [...told, ...done, ...calls.map(callScene)].toSorted(
      (a, b) => a.at.getTime() - b.at.getTime() || rank(a) - rank(b),
    ),
  );
}

/** What Relay made of each message, by its id in the tracker: what it decided or answered, else how it was heard. */
function chipsOf(
  messages: readonly ThreadMessage[],
  audit: readonly AuditEntry[],
  gaps: readonly Pick<Gap, "number" | "answeredIn">[],
): Map<string, Chip[]> {
  const heard = new Map<string, Chip>();
  const made = new Map<string, Chip[]>();
  for (const { externalId } of messages) {
    const numbers = gaps.flatMap(({ number, answeredIn }) => (answeredIn === externalId ? [number] : []));
    if (numbers.length === 0) continue;
    add(made, externalId, {
      text: `answers question${numbers.length > 1 ? "s" : ""} ${numbers.join(", ")}`,
      why: null,
    });
  }
  for (const { what, why, actor, at, after } of audit) {
    const { comment_id: comment, message_id: yes, version, read } = fields(after);
    if (what === "plan.confirmed" && typeof yes === "string") {
      add(made, yes, { text: `yes to plan ${textOf(version)}, counted`, why: null });
    } else if (what === "state.changed" && after === "specifying" && why?.startsWith("go-ahead:") === true) {
      const said = messages.findLast(({ author, timestamp }) => sameLogin(author, actor) && timestamp <= at);
      if (said !== undefined) add(made, said.externalId, { text: "go-ahead, counted", why: null });
    } else if (what === "words.left_aside" && typeof comment === "string") {
      add(made, comment, { text: "not counted", why });
    } else if (what === "words.taken_up" && typeof comment === "string") {
      heard.set(comment, { text: why ?? "heard", why: null });
    } else if (what === "cycle.planned" && Array.isArray(read)) {
      for (const message of messages) {
        if (read.includes(message.seq)) heard.set(message.externalId, { text: "read and thought over", why: null });
      }
    }
  }
  for (const [id, chip] of heard) if (!made.has(id)) add(made, id, chip);
  return made;
}

function sceneOf(entry: AuditEntry): Scene | null {
  const { what, at, why, actor } = entry;
  const after = fields(entry.after);
  const comment = after["comment_id"];
  // Shown beside those words, or by what follows from them.
  if (what.startsWith("words.") && (typeof comment === "string" || after["did"] === "assigned")) return null;
  if (what === "comment.posted") return { kind: "said", at, text: textOf(after["body"]), why };
  const step = STEPS[what];
  if (step !== undefined) return { kind: "step", at, actor, text: step(after, entry), why };
  const state = what === "state.changed" ? ISSUE_STATES.find((one) => one === entry.after) : undefined;
  const summary = state === undefined ? what : `${NOW}${STATE_WORDS[state]}`;
  return { kind: "folded", at, lines: [{ at, text: smallText(entry) }], summary };
}

function callScene({ at, stage, model, costUsd, ms }: StoredCall): Scene {
  const cost = costUsd === null ? "no known price" : dollars(costUsd);
  const text = `${model} for ${stage.replaceAll("_", " ")}: ${spanText(ms)}, ${cost}`;
  return { kind: "folded", at, lines: [{ at, text }], summary: "model.called" };
}

/** A person's words come before what was made of them. */
function rank({ kind }: Scene): number {
  return kind === "message" ? 0 : 1;
}

/** Small things in a row become one. */
function folded(scenes: readonly Scene[]): Scene[] {
  const found: Scene[] = [];
  const counts = new Map<string, number>();
  for (const scene of scenes) {
    const last = found.at(-1);
    if (scene.kind !== "folded" || last?.kind !== "folded") {
      counts.clear();
      found.push(scene.kind === "folded" ? { ...scene, summary: summaryOf(counts, scene.summary) } : scene);
      continue;
    }
    last.lines = [...last.lines, ...scene.lines];
    last.summary = summaryOf(counts, scene.summary);
  }
  return found;
}

/** What folds, as a summary counts it: one, and several. */
const FOLDED: Record<string, [one: string, several: string]> = {
  "cycle.planned": ["thought it over", "thoughts"],
  "finding.added": ["finding", "findings"],
  "finding.removed": ["finding set aside", "findings set aside"],
  "gap.asked": ["question", "questions"],
  "gap.kept": ["question for later", "questions for later"],
  "gap.closed": ["question closed", "questions closed"],
  "reaction.added": ["reaction", "reactions"],
  "labels.changed": ["labels", "changes of labels"],
  "comment.edited": ["status brought up to date", "updates of the status"],
  "model.called": ["model call", "model calls"],
};

/** How a summary tells of a new state; only of the last one. */
const NOW = "now ";

function summaryOf(counts: Map<string, number>, what: string): string {
  if (what.startsWith(NOW)) for (const name of counts.keys()) if (name.startsWith(NOW)) counts.delete(name);
  counts.set(what, (counts.get(what) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => {
      const [one, several] = FOLDED[name] ?? [nameOf(name), nameOf(name)];
      return count === 1 ? one : `${count} ${several}`;
    })
    .join(", ");
}

/** `finding.added` as words. */
function nameOf(what: string): string {
  return what.replace(".", " ").replaceAll("_", " ");
}

function smallText({ what, why, before, after }: AuditEntry): string {
  const [was, is] = [fields(before), fields(after)];
  switch (what) {
    case "state.changed":
      return `${textOf(before)} → ${textOf(after)}${why === null ? "" : `: ${oneLine(why)}`}`.replaceAll("_", " ");
    case "finding.added":
      return `found: ${textOf(is["synthesis"])}`;
    case "finding.removed":
      return `set aside: ${textOf(was["synthesis"])}`;
    case "gap.asked":
    case "gap.kept":
      return `question ${textOf(is["number"])}: ${textOf(is["question"])}`;
    case "gap.closed":
      return `question ${textOf(is["number"])} closed (${textOf(is["reason"])}): ${textOf(is["note"])}`;
    case "labels.changed":
      return `labels: ${textOf(after)}`;
    case "cycle.planned":
      return `cycle ${textOf(is["cycle"])}: ${textOf(is["actions"])}${why === null ? "" : `, since ${oneLine(why)}`}`;
    default:
      return [nameOf(what), why === null ? "" : oneLine(why)].filter((part) => part !== "").join(": ");
  }
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

function fields(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(textOf).join(", ");
  return JSON.stringify(value) ?? "";
}
