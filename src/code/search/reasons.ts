import { cut } from "../../lib/text.ts";
import type { Evidence } from "./evidence.ts";
import type { LineAt } from "./literals.ts";
import { firstFrom } from "./matched-lines.ts";
import { tellingWords, tellsOnPath } from "./telling-words.ts";
import type { Asked } from "./query.ts";

/** Why a file or a line was found. */
export type Reason =
  /** `depth` counts the repository's own frames, from 0 where it failed. */
  | { kind: "frame"; symbol: string | null; line: number | null; depth: number }
  | { kind: "named"; as: string; by: Asked }
  /** A command, route, setting, header or status that the issue names. */
  | { kind: "handles"; as: string }
  /** The value of a setting, or a package, that the issue names. */
  | { kind: "uses"; as: string }
  /** Others of the kind of such a thing, which is not in the code yet. */
  | { kind: "beside"; as: string }
  | { kind: "module"; name: string }
  | { kind: "message"; text: string }
  | { kind: "defines"; symbol: string }
  | { kind: "path"; words: string[] }
  /** The recent commit with the most in common. */
  | { kind: "history"; commit: string; subject: string }
  | { kind: "imports"; path: string }
  | { kind: "imported"; by: string }
  /** `symbol`: the one that the words match; null for the whole file. `isVague`: many files have each of the words. */
  | { kind: "words"; words: string[]; symbol: string | null; isVague?: boolean };

export const WORDS_SHOWN = 4;
/** Smaller shares of recent history are not shown. */
const SHOWN_HISTORY = 0.25;

/** Why the file at a position was found, the strongest first; at least one reason. */
export function reasonsFor(position: number, evidence: Evidence): Reason[] {
  const reasons: Reason[] = [];
  const direct = evidence.direct.get(position);
  for (const { as } of direct?.named ?? []) reasons.push({ kind: "named", as, by: evidence.asked });
  const nearest = direct?.frames.toSorted((a, b) => a.depth - b.depth)[0];
  if (nearest) reasons.push({ kind: "frame", symbol: nearest.symbol, line: nearest.line, depth: nearest.depth });
  const handles = direct?.handles ?? [];
  const such = (kind: Handling): Reason[] =>
    handles.filter(({ how = "handles" }) => how === kind).map(({ as }) => handled(kind, as, evidence.asked));
  reasons.push(...such("named"), ...such("uses"), ...such("handles"));
  for (const text of direct?.messages ?? []) reasons.push({ kind: "message", text });
  for (const name of direct?.modules ?? []) reasons.push({ kind: "module", name });
  for (const symbol of direct?.defines ?? []) reasons.push({ kind: "defines", symbol });
  reasons.push(...such("beside"));
  const onPath = strongest(evidence, evidence.match.paths, position);
  const all = evidence.history.length;
  const telling = onPath.filter(({ text, holders }) => tellsOnPath(text, holders, all));
  if (telling.length > 0) reasons.push({ kind: "path", words: shown(telling) });
  const inText = strongest(evidence, evidence.match.texts, position);
  if (inText.length > 0) reasons.push({ kind: "words", words: shown(inText), symbol: null });
  const commit = evidence.commits.get(position);
  if (commit !== undefined && (evidence.history[position] ?? 0) > SHOWN_HISTORY)
    reasons.push({ kind: "history", commit: commit.name, subject: commit.subject });
  if (reasons.length === 0 && onPath.length > 0) reasons.push({ kind: "path", words: shown(onPath) });
  return reasons;
}

type Handling = NonNullable<LineAt["how"]>;

/** Why a line was found that has to do with what the issue names from outside. */
export function handled(kind: Handling, as: string, by: Asked): Reason {
  return kind === "named" ? { kind, as, by } : { kind, as };
}

function shown(found: readonly { text: string }[]): string[] {
  return tellingWords(
    found.map(({ text }) => text),
    WORDS_SHOWN,
  );
}

function strongest(
  { words: { words }, match, own }: Evidence,
  hits: Evidence["match"]["texts"],
  position: number,
): { text: string; holders: number }[] {
  return words
    .flatMap(({ text, weight }, at) => {
      const { files, counts } = hits[at] ?? { files: [], counts: [] };
      const index = indexIn(files, position);
      const count = counts[index] ?? 1;
      // A word that the file repeats distinguishes it from others that contain the word too.
      const worth = index === -1 ? 0 : weight * (match.rarity[at] ?? 0) * (count / (count + 2));
      return worth > 0 && !own.has(text) ? [{ text, worth, holders: files.length }] : [];
    })
    .toSorted((a, b) => b.worth - a.worth || (a.text < b.text ? -1 : 1));
}

/** The index in a sorted list; -1 if it is not there. */
function indexIn(positions: readonly number[], position: number): number {
  const at = firstFrom(positions, position);
  return positions[at] === position ? at : -1;
}

const ASKED: Record<Asked, string> = { issue: "the issue", words: "your words", question: "the question" };
const SHORT_COMMIT = 8;
const LONGEST_SUBJECT = 72;

/** A reason in English, for logs and the command line. */
export function reasonText(reason: Reason): string {
  switch (reason.kind) {
    case "frame":
      return `in the stack trace${reason.line === null ? "" : ` at line ${reason.line}`}${reason.symbol ? ` (${reason.symbol})` : ""}`;
    case "named":
      return `named in ${ASKED[reason.by]} as ${reason.as}`;
    case "handles":
      return `handles ${reason.as}`;
    case "uses":
      return `uses ${reason.as}`;
    case "beside":
      return `has others of the kind of ${reason.as}, which is not there yet`;
    case "module":
      return `is the module ${reason.name}`;
    case "message":
      return `contains the message "${reason.text}"`;
    case "defines":
      return `defines ${reason.symbol}`;
    case "path":
      return `its path says ${reason.words.join(", ")}`;
    case "history":
      return `changed by ${reason.commit.slice(0, SHORT_COMMIT)} “${cut(reason.subject, LONGEST_SUBJECT)}”`;
    case "imports":
      return `imports ${reason.path}`;
    case "imported":
      return `imported by ${reason.by}`;
    case "words":
      return `${reason.symbol === null ? "" : `${reason.symbol} `}speaks of ${reason.words.join(", ")}`;
    default:
      return reason satisfies never;
  }
}
