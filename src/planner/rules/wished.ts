import { type WishedPlaces, forbiddenPlaces, wishedPlaces } from "../../approval/wished-places.ts";
import type { OpenIndex } from "../../code/index/explorer.ts";
import { searchTerms } from "../../code/search/query.ts";
import { type Located, locate } from "../../code/search/rank-files.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import { readIssue } from "../../domain/issue-text/issue-reading.ts";
import { isNamed } from "../../domain/statements/file-names.ts";
import type { PlacesMeant } from "../../domain/statements/places-meant.ts";
import type { CycleContext } from "../planner.ts";
import { mayProceed } from "./words.ts";

/** A wish that came after the first plan, and what the search finds for its own words. */
export interface Wished {
  located: readonly Located[];
  meant: PlacesMeant;
}

/** The wishes for another plan than the first one, apart from the messages that describe the issue. */
export function wishesApart(context: CycleContext): { wishes: WishedPlaces[]; others: ConversationMessage[] } {
  const wishes = wishedPlaces(context.messages, (message) => mayProceed(context, message));
  const seqs = new Set(wishes.map(({ seq }) => seq));
  return { wishes, others: context.messages.filter(({ seq }) => !seqs.has(seq)) };
}

/** The names of the files and folders that somebody with a say asked not to touch. */
export function forbiddenIn(context: CycleContext): string[] {
  const { places } = forbiddenPlaces(context.issue, context.messages, (message) => mayProceed(context, message));
  return places.map(({ name }) => name);
}

/** Looks for the places that wishes name; a wish that names none leaves the places as they are. */
export async function lookedAt(wishes: readonly PlacesMeant[], index: OpenIndex): Promise<Wished[]> {
  const naming = wishes.filter(({ paths, symbols, spared }) => paths.length + symbols.length + spared.length > 0);
  return await Promise.all(
    naming.map(async (meant) => {
      const reading = readIssue({ title: "", body: meant.text, labels: [] });
      return { meant, located: await locate(index, searchTerms(reading)) };
    }),
  );
}

/** Files that one wish names, the most telling first. */
const MOST_NAMED = 3;

/** The files of a look that a wish names by their paths, else by a symbol that they define. */
export function placesNamed({ located, meant }: Wished): Located[] {
  const named = located.filter(({ path }) => isNamed(path, meant.paths));
  const defining = meant.symbols.flatMap((symbol) => {
    const defines = (one: Located) =>
      one.reasons.some((reason) => reason.kind === "defines" && reason.symbol === symbol);
    return named.some(defines) ? [] : located.filter((one) => one.role === "source" && defines(one)).slice(0, 1);
  });
  return [...new Set([...named, ...(named.length > 0 ? [] : defining)])].slice(0, MOST_NAMED);
}
