import type { OpenIndex } from "../code/index/explorer.ts";

const MOST_LANGUAGES = 8;

/** The languages of the code, the most frequent first. */
export function languagesOf(index: Pick<OpenIndex, "files">): string[] {
  const counts = new Map<string, number>();
  for (const { language, role } of index.files) {
    if (language !== null && role === "source") counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const languages = [...counts].toSorted((a, b) => b[1] - a[1]).map(([language]) => language);
  return languages.slice(0, MOST_LANGUAGES);
}
