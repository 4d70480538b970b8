import { citationsIn, locationOf } from "../../domain/spec-document/citations.ts";
import { link } from "../../domain/text/comment-markdown.ts";
import { problemOf } from "./scenarios.ts";

/** How many places are looked up for one text. */
const MOST = 10;

interface Head {
  /** A file before the change, or as it is now; null if it does not exist. */
  read: (path: string, at: "base" | "head") => Promise<string | null>;
  /** The web page of a file, or of its lines, at the head of the branch; null if the code has no web pages. */
  addressOf: (path: string, lines?: { start: number; end: number }) => string | null;
}

/**
 * Links to the places that the spec's problem statement names, keyed by how it names them, at the head of the request's
 * branch: to the same lines if they can be found there, else to the file. A place whose file is gone gets none.
 */
export async function placeAddresses(spec: string, { read, addressOf }: Head): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const cited = problemOf(spec).flatMap((text) => citationsIn(text, 1));
  for (const one of cited.flatMap((place) => (place.kind === "file" ? [place] : [])).slice(0, MOST)) {
    const now = await read(one.path, "head");
    if (now === null) continue;
    const address = addressOf(one.path, linesNow(one, await read(one.path, "base"), now));
    if (address !== null) found.set(locationOf(one), address);
  }
  return found;
}

function linesNow(
  { start, end }: { start: number; end: number },
  before: string | null,
  now: string,
): { start: number; end: number } | undefined {
  const there = now.split("\n");
  const wanted = before?.split("\n").slice(start - 1, end) ?? [];
  const isAt = (first: number) => wanted.length > end - start && wanted.every((line, at) => there[first + at] === line);
  if (isAt(start - 1)) return { start, end };
  const [first, ...others] = there.flatMap((_, at) => (isAt(at) ? [at] : []));
  return first === undefined || others.length > 0 ? undefined : { start: first + 1, end: first + 1 + end - start };
}

/** The text, with its places as links. */
export function withPlaceLinks(markdown: string, addresses: ReadonlyMap<string, string>): string {
  return markdown.replaceAll(/(?<![`[])`([^`\n]+)`(?!`)/g, (span, label: string) =>
    link(span, addresses.get(label) ?? null),
  );
}
