import type { Exploration, VerifiedPlace } from "../domain/exploration.ts";
import { readLocation } from "../code/agent/source-lookup.ts";

/**
 * Explorations as a model reads them, oldest first, in about so many characters: each question with its synthesis and all
 * its places; the text of places as long as there is room, the newest explorations first. Nothing is cut without a mark.
 */
export function exploredText(explorations: readonly Exploration[], characters: number): string {
  let room = characters;
  const parts: string[] = [];
  let omitted = 0;
  for (const { question, synthesis, places } of explorations.toReversed()) {
    const text = [`Asked: ${question}`, synthesis, placesText(places, room / 2)].join("\n");
    if (text.length > room && parts.length > 0) omitted += 1;
    else {
      parts.unshift(text);
      room -= text.length;
    }
  }
  if (omitted > 0) parts.unshift(`[${omitted} older explorations are left out]`);
  return parts.join("\n\n");
}

/** Verified places with their numbered lines, in about so many characters; each is named, also where its text has no room. */
export function placesText(places: readonly VerifiedPlace[], characters: number): string {
  let room = characters;
  return places
    .map(({ location, snippet, note }) => {
      const head = `[${location}]${note === undefined ? "" : ` ${note}`}`;
      const text = `${head}\n${numbered(location, snippet)}`;
      const shown = text.length <= room ? text : `${head} (its text has no room here)`;
      room -= shown.length;
      return shown;
    })
    .join("\n\n");
}

function numbered(location: string, snippet: string): string {
  const first = readLocation(location)?.start ?? 1;
  return snippet
    .split("\n")
    .map((line, at) => (line === "…" ? line : `${first + at}| ${line}`))
    .join("\n");
}
