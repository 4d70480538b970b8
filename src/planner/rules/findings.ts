import type { Finding, FindingSource } from "../../domain/finding.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { Repository } from "../../code/git/repository.ts";
import { enclosingSymbol } from "../../code/outline/line-definitions.ts";
import { type RelevantLine, type Located, type Reason, isPinpointed } from "../../code/search/rank-files.ts";

export interface NewFinding {
  synthesis: string;
  sources: FindingSource[];
}

const SOURCES_PER_FINDING = 3;
const SNIPPET_LINES = 3;
/** A file found only by shared words must be about as strong as the best one. */
const WORD_MATCHES = 2;
const NEAR_BEST = 0.6;

/**
 * Turns ranked files into findings with `path:line` sources and their code (R-PLAN-12). Files covered by earlier
 * findings are skipped. Places that the report points at come first; files that merely share words with it are kept
 * only if there is nothing better.
 */
export async function newFindings(
  located: Located[],
  known: Finding[],
  { code, say, limit, aboutDocs }: { code: Repository; say: Translate<"questions">; limit: number; aboutDocs: boolean },
): Promise<NewFinding[]> {
  const seen = new Set(known.flatMap((finding) => finding.sources.map((source) => pathOf(source.location))));
  const findings: NewFinding[] = [];
  for (const found of worthKeeping(located, aboutDocs)) {
    if (findings.length >= limit) break;
    if (seen.has(found.path)) continue;
    const finding = await describe(found, code, say);
    if (finding) findings.push(finding);
  }
  return findings;
}

function worthKeeping(located: Located[], aboutDocs: boolean): Located[] {
  const sources = located.filter((found) => found.role === "source" || found.role === "config");
  const pinpointed = sources.filter(isPinpointed);
  const best = sources[0]?.score ?? 0;
  const byWords = sources
    .filter((found) => !isPinpointed(found) && found.score >= best * NEAR_BEST)
    .slice(0, Math.max(0, WORD_MATCHES - pinpointed.length));
  const docs = located.filter(
    (found) => found.role === "docs" && (aboutDocs ? isPinpointed(found) : found.reasons[0]?.kind === "named"),
  );
  const chosen = aboutDocs && docs.length > 0 ? [...docs, ...pinpointed] : [...pinpointed, ...byWords, ...docs];
  const tests = located.filter((found) => found.role === "test");
  if (aboutDocs) return chosen;
  const test = tests.find((found) => chosen.some((other) => isTestOf(found, other))) ?? tests[0];
  return [...chosen, ...(test ? [test] : [])];
}

async function describe(found: Located, code: Repository, say: Translate<"questions">): Promise<NewFinding | null> {
  const text = await code.readFile(found.path).catch(() => null);
  if (text === null) return null;
  const lines = text.split("\n");
  const spots = found.lines.filter((spot) => spot.line >= 1 && spot.line <= lines.length).slice(0, SOURCES_PER_FINDING);
  const [first] = spots;
  const symbol = first ? enclosingSymbol(lines, first.line) : null;
  const place = symbol ? `\`${symbol.name}\` (\`${found.path}\`)` : `\`${found.path}\``;
  const sources = spots.map((spot) => ({
    location: `${found.path}:${spot.line}`,
    snippet: snippetAt(lines, spot),
    ...(symbol && spot === first ? { kind: symbol.name } : {}),
  }));
  return {
    synthesis: synthesis(found, place, say),
    sources: sources.length > 0 ? sources : [{ location: found.path, snippet: "" }],
  };
}

function synthesis(found: Located, place: string, say: Translate<"questions">): string {
  if (found.role === "test" && subjectOf(found.path) !== "``")
    return say("found_test", { place, text: subjectOf(found.path) });
  const [reason] = found.reasons;
  return reason ? sentence(reason, place, say) : place;
}

function sentence(reason: Reason, place: string, say: Translate<"questions">): string {
  switch (reason.kind) {
    case "frame":
      return say("found_frame", { place });
    case "named":
      return say("found_named", { place, text: reason.as });
    case "module":
      return say("found_module", { place, text: reason.name });
    case "message":
      return say("found_message", { place, text: reason.text });
    case "defines":
      return say("found_defines", { place, text: reason.symbol });
    case "path":
    case "words":
      return say("found_words", { place, text: reason.words.join(", ") });
    case "imports":
      return say("found_near", { place, text: `\`${reason.path}\`` });
    case "imported":
      return say("found_near", { place, text: `\`${reason.by}\`` });
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

function isTestOf(test: Located, subject: Located): boolean {
  const name = stemOf(subject.path);
  return name.length > 2 && stemOf(test.path).includes(name);
}

function subjectOf(path: string): string {
  return `\`${stemOf(path)}\``;
}

/** `src/export/csv_writer.test.ts` -> `csv_writer`. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return name.replace(/\.\w+$/, "").replaceAll(/^(?:test|spec)[-_.]|[-_.]?(?:tests?|spec)$/g, "");
}

function pathOf(location: string): string {
  return location.replace(/:\d+(?:-\d+)?$/, "");
}
