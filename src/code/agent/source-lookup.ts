import { shownPath, shownText } from "../tools/sanitize.ts";
import type { FileAccess } from "../tools/file-access.ts";
import type { DroppedSource, VerifiedSource } from "./explore-answer.ts";
import { readLocation } from "./location.ts";

/** A place as the model named it. */
export interface ClaimedSource {
  location: string;
  note?: string | null | undefined;
}

export type LookedUp = { kind: "holds"; source: VerifiedSource } | { kind: "wrong"; dropped: DroppedSource };

export const SOURCE_LINES = 80;
const SNIPPET_CHARACTERS = 4_000;
const NOTE_CHARACTERS = 300;
const SHOWN_LOCATION = 200;
const LONGEST_LOCATION = 1_000;

/**
 * Looks a place up at the commit: an open text file of the tree, lines that it has, not too many, not all blank.
 * The snippet is what the file says, without credentials and hidden characters (R-EXP-3, R-SAFE-1, R-SAFE-2).
 */
export async function lookUp(fileAccess: FileAccess, claimed: ClaimedSource): Promise<LookedUp> {
  const wrong = (why: string): LookedUp => ({
    kind: "wrong",
    dropped: { location: shownText(claimed.location, SHOWN_LOCATION), why },
  });
  const location = readLocation(claimed.location);
  if (location === null) return wrong('is not written as "path:start-end", with numbers of lines');
  const { start, end } = location;
  if (start < 1 || end < start) return wrong("has no such lines: count them from 1, the first before the last");
  if (end - start + 1 > SOURCE_LINES) {
    return wrong(`covers ${end - start + 1} lines; cite the at most ${SOURCE_LINES} that show it`);
  }
  const read = await fileAccess.read(location.path);
  if (read.kind === "refused") return wrong(read.reason);
  const { path } = read.file;
  if (shownPath(path) !== path || path.length > LONGEST_LOCATION - 20) {
    return wrong("has a path that cannot be shown as it is");
  }
  const total = read.lines.length;
  if (end > total) return wrong(`${path} has ${total} lines; read the place again`);
  const lines = read.lines.slice(start - 1, end).map((line) => shownText(line));
  if (lines.every((line) => line.trim() === "")) return wrong("has nothing but blank lines there");
  const note = shownText(claimed.note ?? "", NOTE_CHARACTERS).trim();
  return {
    kind: "holds",
    source: { location: `${path}:${start}-${end}`, snippet: snippetOf(lines), ...(note === "" ? {} : { note }) },
  };
}

function snippetOf(lines: readonly string[]): string {
  const kept: string[] = [];
  let room = SNIPPET_CHARACTERS - 2;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) return [...kept, "…"].join("\n");
    kept.push(line);
  }
  return kept.join("\n");
}
