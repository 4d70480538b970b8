import { classify } from "../../code/classify.ts";

const LANGUAGES_SHOWN = 6;

/** The languages of the affected files, or of the repository if those have none. */
export function skillsetOf(paths: readonly string[], languages: readonly string[]): string[] {
  const own = paths.flatMap((path) => classify(path).language ?? []);
  const all = own.length > 0 ? own : languages.map((each) => each.toLowerCase());
  return [...new Set(all)].slice(0, LANGUAGES_SHOWN);
}
