import { codeSpan } from "../../lib/text.ts";
import { type Finding, type FindingSource, type FoundBy, NOTES, type NoteKind } from "../../domain/finding.ts";
import { classify, type FileRole } from "../../code/classify.ts";
import type { SpecInput } from "../generator.ts";
import { code, plain } from "./plain.ts";

/** How a place relates to the issue, the strongest relation first. */
type Tie = "frame" | "named" | "symbol" | "command" | "message" | "words";
const TIES: readonly Tie[] = ["frame", "named", "symbol", "command", "message", "words"];

/** A place in the code that a finding points at. */
export interface Place {
  /** Number of the finding. */
  finding: number;
  path: string;
  /** `path:line` if a line is known. */
  location: string;
  symbol: string | null;
  role: FileRole;
  tie: Tie;
  /** Position in the stack trace, 0 where it failed; null outside it. */
  depth: number | null;
  /** The line of code at the place, as code; empty if unknown. */
  code: string;
  synthesis: string;
}

/**
 * The places of all findings, in the order of the search that found them (R-SPEC-19). Findings of models have no such
 * order: those of a stack trace come first, innermost first, then those that the issue names, then others.
 */
export function placesOf(input: SpecInput, command: string | null): Place[] {
  const words = wordsOf(input, command);
  const places = input.findings
    .map((finding) => placeOf(finding, input, words))
    .filter((place): place is Place => place !== null);
  if (input.findings.some(({ sources }) => sources[0]?.found_by !== undefined)) return places;
  return places.toSorted(
    (a, b) => TIES.indexOf(a.tie) - TIES.indexOf(b.tie) || (a.depth ?? 0) - (b.depth ?? 0) || a.finding - b.finding,
  );
}

/** People's words that may name code. A command's own words only identify the program's entry point. */
interface Words {
  said: string;
  spans: string[];
  command: string | null;
}

function wordsOf({ issue, reading, messages, deciders }: SpecInput, command: string | null): Words {
  const people = messages.filter(
    ({ role, isBot, seq }) => role !== "self" && !isBot && (role === "reporter" || deciders.has(seq)),
  );
  const said = [issue.title, reading.text, ...people.map((message) => message.content)].join("\n");
  const commands = [...reading.facts.commands, ...(command === null ? [] : [command])];
  return {
    said: commands.reduce((text, one) => text.replaceAll(flat(one), " "), flat(said)),
    spans: [...said.matchAll(/`([^`\n]{3,80})`/g)].map((match) => match[1] ?? ""),
    // The program and its arguments, without the options.
    command:
      /^\S+ [a-z][\w-]+/i.exec(command?.replace(/^(?:node|npx|python3?|npm run|yarn|pnpm)\s+/, "") ?? "")?.[0] ?? null,
  };
}

/** Formats a place: its symbol, if any, and its location. */
export function shown(place: Place): string {
  return place.symbol === null ? codeSpan(place.location) : `${codeSpan(place.symbol)} (${codeSpan(place.location)})`;
}

/** A place with the number of its finding. */
export function withFinding(place: Place): string {
  const where = `${codeSpan(place.location)}, Finding #${place.finding}`;
  return place.symbol === null ? where : `${codeSpan(place.symbol)} (${where})`;
}

function placeOf(finding: Finding, { reading }: SpecInput, words: Words): Place | null {
  const frames = reading.traces.flatMap((trace) => trace.frames);
  const depthOf = (location: string): number =>
    frames.findIndex(
      (frame) =>
        frame.line === lineOf(location) && `/${frame.path.replaceAll("\\", "/")}`.endsWith(`/${pathOf(location)}`),
    );
  const located = finding.sources.filter((source) => isLocation(source.location));
  // Prefers the source in the stack trace; the search put its best first, else one that contains what people quoted.
  const isRanked = located[0]?.found_by !== undefined;
  const spans = isRanked ? [] : words.spans;
  const source =
    located.find(({ location }) => depthOf(location) >= 0) ??
    located.find(({ snippet }) => spans.some((span) => snippet.includes(span))) ??
    located[0];
  if (!source || isNote(finding)) return null;
  const depth = depthOf(source.location);
  const { location, line } = depth >= 0 ? lineAt(source, []) : lineAt(source, spans);
  const path = pathOf(location);
  const named = located[0] === source ? source.kind : located.find((one) => one.kind !== undefined)?.kind;
  const symbol = named !== undefined && /^[\p{L}\p{N}_$.:#~]{1,80}$/u.test(named) ? named : null;
  const isCode =
    line.length > 3 && line.length <= 110 && /[\p{L}\p{N}]/u.test(line) && !/^(?:\/?\*|\/\/|#|import\b)/.test(line);
  return {
    finding: finding.number,
    path,
    location,
    symbol,
    role: classify(path).role,
    tie:
      tieOfSearch(located[0]?.found_by, depth) ??
      tieOf({ depth, path, symbol, snippets: located.map((one) => one.snippet).join("\n") }, reading, words),
    depth: depth < 0 ? null : depth,
    code: isCode && !line.includes("`") ? code(line) : "",
    synthesis: plain(finding.synthesis, 300),
  };
}

/** What depends on the first place (R-SPEC-20), with the places to look at. */
export interface Note {
  kind: NoteKind;
  finding: number;
  locations: string[];
}

export function notesIn({ findings }: SpecInput): Note[] {
  return findings.flatMap(({ number, sources }) => {
    const kind = NOTES.find((one) => one === sources[0]?.found_by);
    const locations = sources.map(({ location }) => location).filter((location) => isLocation(location));
    return kind === undefined || locations.length === 0 ? [] : [{ kind, finding: number, locations }];
  });
}

function isNote({ sources }: Finding): boolean {
  return NOTES.some((kind) => kind === sources[0]?.found_by);
}

/** The line of a snippet that contains what people quoted, with its own number; otherwise the first line. */
function lineAt({ location, snippet }: FindingSource, spans: string[]): { location: string; line: string } {
  const lines = snippet.split("\n");
  const start = lineOf(location);
  const isWhole = !lines.some((line) => /^\s*(?:…|\.\.\.)\s*$/.test(line));
  const at = lines.findIndex((line) => spans.some((span) => line.includes(span)));
  if (start === null || at <= 0 || !isWhole) return { location, line: (lines[0] ?? "").trim() };
  return { location: `${pathOf(location)}:${start + at}`, line: (lines[at] ?? "").trim() };
}

/** The search's own reason decides; null for findings of models. */
function tieOfSearch(foundBy: FoundBy | undefined, depth: number): Tie | null {
  if (foundBy === undefined) return null;
  if (depth >= 0) return "frame";
  switch (foundBy) {
    case "frame":
    case "named":
    case "message":
      return foundBy;
    case "handles":
    case "uses":
      return "command";
    case "module":
      return "named";
    case "defines":
      return "symbol";
    default:
      return "words";
  }
}

function tieOf(
  place: { depth: number; path: string; symbol: string | null; snippets: string },
  { facts }: SpecInput["reading"],
  { said, command }: Words,
): Tie {
  if (place.depth >= 0) return "frame";
  const file = place.path.slice(place.path.lastIndexOf("/") + 1);
  if (names(said, place.path) || (file.length > 5 && names(said, file))) return "named";
  const { symbol } = place;
  if (symbol !== null && symbol.length > 2 && (facts.symbols.includes(symbol) || said.includes(`\`${symbol}`)))
    return "symbol";
  if (command !== null && place.snippets.includes(command)) return "command";
  return facts.messages.some((message) => message.length > 3 && place.snippets.includes(message)) ? "message" : "words";
}

/** Whether a text contains a path as a whole: `a.json` does not name `a.js`. */
function names(text: string, path: string): boolean {
  const at = text.indexOf(path);
  return at !== -1 && !/[\w-]/.test(text[at + path.length] ?? "") && !/[\w.-]/.test(text[at - 1] ?? "");
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Locations also come from models: anything but a plain path is rejected. */
function isLocation(location: string): boolean {
  return /^[^\s`|<>*?"'\\:]+(?::\d{1,7}(?:-\d{1,7})?)?$/.test(location) && !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(location);
}

function pathOf(location: string): string {
  return location.replace(/:\d+(?:-\d+)?$/, "");
}

function lineOf(location: string): number | null {
  const line = /:(\d+)(?:-\d+)?$/.exec(location)?.[1];
  return line === undefined ? null : Number(line);
}
