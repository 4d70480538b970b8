import { shownText } from "../tools/shown.ts";
import type { Territory } from "../tools/file-access.ts";
import type { DroppedSource } from "./explore-answer.ts";
import { citedIn, readLocation } from "./location.ts";

/**
 * The places cited in a text that do not hold: no such file, or no such lines. What merely looks like a place, a host
 * with its port or the tag of an image, is left alone: the path must exist, or end like some file of the commit.
 */
export async function wrongCitations(territory: Territory, text: string): Promise<DroppedSource[]> {
  const wrong: DroppedSource[] = [];
  let endings: Set<string> | undefined;
  for (const cited of citedIn(text)) {
    const location = readLocation(cited);
    if (location === null) continue;
    endings ??= new Set(territory.files.map(({ path }) => endingOf(path)).filter((ending) => ending !== ""));
    if (!territory.has(location.path) && !endings.has(endingOf(location.path))) continue;
    const why = await whyWrong(territory, location);
    if (why !== null) wrong.push({ location: shownText(cited, 200), why: `cited in the synthesis: ${why}` });
  }
  return wrong;
}

async function whyWrong(
  territory: Territory,
  { path, start, end }: { path: string; start: number; end: number },
): Promise<string | null> {
  const read = await territory.read(path);
  if (read.kind === "refused") return read.reason;
  const total = read.lines.length;
  return start < 1 || end < start || end > total ? `the file has ${total} lines` : null;
}

/** The extension, from the last dot of the last part on. */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot).toLowerCase();
}
