import { codeSpan } from "../../lib/text.ts";
import type { FindingSource } from "../../domain/finding.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { Repository } from "../../code/git/repository.ts";
import { symbolAt } from "../../code/outline/outline.ts";
import { codeLinesOf } from "../../code/search/matched-lines.ts";
import { type Located, type Reason, type RelevantLine, PINPOINTING } from "../../code/search/rank-files.ts";
import { mentionedSymbol } from "./definition.ts";
import { stemOf } from "./test-of.ts";

export interface NewFinding {
  synthesis: string;
  sources: FindingSource[];
}

const SOURCES_PER_FINDING = 3;
const SNIPPET_LINES = 3;
/** Kinds of symbols that name no code. */
const NO_CODE = new Set(["heading", "element"]);

/** What a file has to do with an issue, with its best places; `symbols` are those that people decided on. */
export async function describe(
  found: Located,
  { report, symbols }: { report: string; symbols: readonly string[] },
  code: Repository,
  say: Translate<"questions">,
): Promise<NewFinding | null> {
  const text = await code.readFile(found.path).catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  const decided = symbols.flatMap(
    (name) => found.reasons.find((one) => one.kind === "defines" && one.symbol === name) ?? [],
  );
  const reasons = [...decided, ...found.reasons.filter((one) => !decided.includes(one))];
  const reason = decided[0] ?? reasons.find(({ kind }) => PINPOINTING.has(kind)) ?? reasons[0];
  const isCode = found.role === "source" || found.role === "test" ? codeLinesOf(text) : () => true;
  const all = found.lines.filter((spot) => spot.line >= 1 && spot.line <= lines.length && isCode(spot.line));
  const isIn = (spot: RelevantLine) => spot.symbol !== null && symbols.includes(spot.symbol.name);
  const matching = decided.length > 0 ? [...all.filter(isIn), ...all.filter((spot) => !isIn(spot))] : all;
  const mentioned =
    reason?.kind === "defines"
      ? mentionedSymbol({ ...found, reasons }, matching, { text, report: `${report}\n${symbols.join(" ")}` })
      : null;
  const spots = (mentioned?.spots ?? matching).slice(0, SOURCES_PER_FINDING);
  const [first] = spots;
  const symbol =
    first === undefined
      ? null
      : symbolAt(
          found.symbols.filter(({ kind }) => !NO_CODE.has(kind)),
          first.line,
        );
  const place = symbol ? `${codeSpan(symbol.name)} (${codeSpan(found.path)})` : codeSpan(found.path);
  const [source = { location: found.path, snippet: "" }, ...others] = spots.map((spot) => ({
    location: `${found.path}:${spot.line}`,
    snippet: snippetAt(lines, spot),
  }));
  const shared = found.reasons.find(({ kind }) => kind === "words" || kind === "path");
  const told = reason?.kind === "defines" ? (mentioned?.reason ?? shared) : reason;
  // What the report names is the subject, even where its best line is in a part of it.
  const subject = told?.kind === "defines" ? told.symbol : symbol?.name;
  const decides = told?.kind === "defines" && decided[0] === told && !wordsOf(report).has(told.symbol);
  return {
    synthesis: decides
      ? say("found_decided", { place: codeSpan(found.path), text: codeSpan(told.symbol) })
      : mentioned?.shows === "part" && !testOf(found)
        ? say("found_within", { place: codeSpan(found.path), text: codeSpan(mentioned.reason.symbol) })
        : synthesis(found, told, place, say),
    sources: [
      { ...source, ...(subject !== undefined && { kind: subject.slice(0, 60) }), found_by: reason?.kind ?? "words" },
      ...others,
    ],
  };
}

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[\p{L}\p{N}_$]+/gu));
}

function testOf({ role, path }: Located): boolean {
  return role === "test" && subjectOf(path) !== "``";
}

function synthesis(found: Located, reason: Reason | undefined, place: string, say: Translate<"questions">): string {
  if (testOf(found)) return say("found_test", { place, text: subjectOf(found.path) });
  return reason ? sentence(reason, found.path, place, say) : place;
}

function sentence(reason: Reason, path: string, place: string, say: Translate<"questions">): string {
  switch (reason.kind) {
    case "frame":
      return say("found_frame", { place });
    case "named":
      return say("found_named", { place, text: codeSpan(reason.as) });
    case "handles":
      return say("found_handles", { place, text: codeSpan(reason.as) });
    case "uses":
      return say("found_uses", { place, text: codeSpan(reason.as) });
    case "beside":
      return say("found_beside", { place, text: codeSpan(reason.as) });
    case "module":
      return say("found_module", { place, text: codeSpan(reason.name) });
    case "message":
      return say("found_message", { place, text: reason.text });
    case "defines":
      // The symbol around the first line may be another one.
      return say("found_defines", { place: codeSpan(path), text: codeSpan(reason.symbol) });
    case "path":
    case "words":
      return say("found_words", { place, text: reason.words.join(", ") });
    case "imports":
      return say("found_near", { place, text: codeSpan(reason.path) });
    case "imported":
      return say("found_near", { place, text: codeSpan(reason.by) });
    case "history":
      return say("found_history", { place });
    default:
      return reason satisfies never;
  }
}

function snippetAt(lines: string[], spot: RelevantLine): string {
  return lines
    .slice(spot.line - 1, spot.line - 1 + SNIPPET_LINES)
    .join("\n")
    .trimEnd()
    .slice(0, 600);
}

function subjectOf(path: string): string {
  return codeSpan(stemOf(path));
}
