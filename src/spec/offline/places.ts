import type { Finding } from "../../domain/finding.ts";
import { classify } from "../../explore/classify.ts";
import type { FileRole } from "../../explore/classify.ts";
import type { SpecInput } from "../generator.ts";
import { code, plain } from "./plain.ts";

/** What ties a place to the issue, the strongest first. */
type Tie = "frame" | "named" | "symbol" | "message" | "words";
const TIES: readonly Tie[] = ["frame", "named", "symbol", "message", "words"];

/** A place in the code that a finding points at. */
export interface Place {
  /** Number of the finding, from 1, as specs cite it. */
  finding: number;
  path: string;
  /** `path:line` where a line is known. */
  location: string;
  symbol: string | null;
  role: FileRole;
  tie: Tie;
  /** Position in the stack trace, 0 where it failed; null outside of one. */
  depth: number | null;
  /** The line of code that is there, as code; empty where none is known. */
  code: string;
  synthesis: string;
}

/** The places of all findings: those of a stack trace innermost first, then the ones that the issue names, then others. */
export function placesOf(input: SpecInput): Place[] {
  const said = [input.issue.title, input.reading.text, ...input.messages.map((message) => message.content)].join("\n");
  return input.findings
    .map((finding, index) => placeOf(finding, index + 1, input, said))
    .filter((place): place is Place => place !== null)
    .toSorted(
      (a, b) => TIES.indexOf(a.tie) - TIES.indexOf(b.tie) || (a.depth ?? 0) - (b.depth ?? 0) || a.finding - b.finding,
    );
}

/** How a place is shown: its symbol, if it has one, and where it is. */
export function shown(place: Place): string {
  return place.symbol === null ? `\`${place.location}\`` : `\`${place.symbol}\` (\`${place.location}\`)`;
}

function placeOf(finding: Finding, number: number, { reading }: SpecInput, said: string): Place | null {
  const frames = reading.traces.flatMap((trace) => trace.frames);
  const depthOf = (location: string): number =>
    frames.findIndex(
      (frame) =>
        frame.line === lineOf(location) && `/${frame.path.replaceAll("\\", "/")}`.endsWith(`/${pathOf(location)}`),
    );
  const located = finding.sources.filter((source) => isLocation(source.location));
  // Of several sources the one that stands in the stack trace tells most.
  const source = located.find(({ location }) => depthOf(location) >= 0) ?? located[0];
  if (!source) return null;
  const path = pathOf(source.location);
  const depth = depthOf(source.location);
  const symbol = source.kind !== undefined && /^[\p{L}\p{N}_$.:#<>~]{1,80}$/u.test(source.kind) ? source.kind : null;
  const [line = ""] = source.snippet.split("\n").map((one) => one.trim());
  return {
    finding: number,
    path,
    location: source.location,
    symbol,
    role: classify(path).role,
    tie: tieOf({ depth, path, symbol, snippets: located.map((one) => one.snippet).join("\n") }, reading, said),
    depth: depth < 0 ? null : depth,
    code:
      line.length > 3 && line.length <= 110 && !line.includes("`") && !/^(?:\/?\*|\/\/|#|import\b)/.test(line)
        ? code(line)
        : "",
    synthesis: plain(finding.synthesis, 300),
  };
}

function tieOf(
  place: { depth: number; path: string; symbol: string | null; snippets: string },
  { facts }: SpecInput["reading"],
  said: string,
): Tie {
  if (place.depth >= 0) return "frame";
  const file = place.path.slice(place.path.lastIndexOf("/") + 1);
  if (said.includes(place.path) || (file.length > 5 && facts.places.some((one) => one.path.endsWith(file))))
    return "named";
  const { symbol } = place;
  if (symbol !== null && symbol.length > 2 && (facts.symbols.includes(symbol) || said.includes(`\`${symbol}`)))
    return "symbol";
  return facts.messages.some((message) => message.length > 3 && place.snippets.includes(message)) ? "message" : "words";
}

/** Locations come from a model too: what is no plain path is no place. */
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
