import { classify } from "../../code/classify.ts";

const LANGUAGES_TOLD = 6;

/** The languages of the affected files; of the repository, where none of them tells. */
export function skillsetOf(paths: readonly string[], languages: readonly string[]): string[] {
  const own = paths.flatMap((path) => classify(path).language ?? []);
  const all = own.length > 0 ? own : languages.map((each) => each.toLowerCase());
  return [...new Set(all)].slice(0, LANGUAGES_TOLD);
}
