import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { classify } from "../../code/classify.ts";
import { likelyFiles } from "../../code/search/likely-files.ts";
import type { Located } from "../../code/search/rank-files.ts";
import { isSamePath } from "../line-range.ts";
import { UPGRADES } from "./risk.ts";
import { fileName } from "../../lib/paths.ts";

const MOST = 5;
const BY_WORDS = 2;
const NEAR_BEST = 0.7;

/** The affected files (R-TRI-1), in the order in which the search ranks them. */
export function affectedOf(
  located: readonly Located[],
  { tree, ...issue }: { aboutDocs: boolean; proposal: string | null; tree: ReadonlySet<string> },
): string[] {
  const there = located.filter(({ path }) => tree.has(path));
  const likely = likelyFiles(there, issue);
  return (likely.length > 0 ? likely : there.slice(0, 1)).map(({ path }) => path);
}

const WORD = /[\p{L}\p{N}]+/gu;
const COMMON = new Set(
  "the and for with from that this when not does are can should file files page index main src lib app test tests docs add fix bug error issue section new use make update remove change support code line".split(
    " ",
  ),
);

const MANIFESTS = new Set(
  "package.json pyproject.toml requirements.txt Cargo.toml go.mod pom.xml build.gradle build.gradle.kts Gemfile composer.json mix.exs".split(
    " ",
  ),
);

/**
 * The same from paths alone, if there is no code: the files that the issue names, then those whose names share most
 * words with it.
 */
export function affectedByNames(reading: IssueReading, tree: readonly string[]): string[] {
  const { places } = reading.facts;
  const names = [
    ...reading.traces.flatMap(({ frames }) => frames.map(({ path }) => path)),
    ...places.map(({ path }) => path),
  ].map((path) => path.slice(path.lastIndexOf("/") + 1).toLowerCase());
  const last = new Set(names);
  const written = [
    ...places.map(({ path }) => path),
    ...reading.traces.flatMap(({ frames }) => frames.slice(0, 3).map(({ path }) => path)),
  ];
  const mentioned = tree.filter(
    (path) => last.has(fileName(path).toLowerCase()) && written.some((each) => isSamePath(each, path)),
  );
  if (mentioned.length > 0) return inOrderOf(mentioned, written).slice(0, MOST);
  const manifest = UPGRADES.test(reading.title) ? tree.find((path) => MANIFESTS.has(path)) : undefined;
  if (manifest !== undefined) return [manifest];
  const title = wordsOf(reading.title);
  const text = wordsOf(`${reading.facts.symbols.join(" ")} ${reading.prose.slice(0, 20_000)}`);
  const aboutDocs = reading.kind.kind === "docs";
  const scored = tree.flatMap((path) => {
    const score = scoreOf(path, { title, text, aboutDocs });
    return score >= 3 ? [{ path, score }] : [];
  });
  const ranked = scored.toSorted(
    (a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
  const best = ranked[0]?.score ?? 0;
  return ranked
    .filter(({ score }) => score >= best * NEAR_BEST)
    .slice(0, BY_WORDS)
    .map(({ path }) => path);
}

function inOrderOf(paths: readonly string[], written: readonly string[]): string[] {
  const at = (path: string) => written.findIndex((each) => isSamePath(each, path));
  return paths.toSorted((a, b) => at(a) - at(b) || a.length - b.length || (a < b ? -1 : 1));
}

function scoreOf(
  path: string,
  { title, text, aboutDocs }: { title: ReadonlySet<string>; text: ReadonlySet<string>; aboutDocs: boolean },
): number {
  const { role } = classify(path);
  if (role !== "source" && !(role === "docs" && aboutDocs)) return 0;
  const worth = (word: string) => (title.has(word) ? 3 : text.has(word) ? 1 : 0);
  const own = [...wordsOf(fileName(path).replace(/\.[^.]+$/, ""), 2)].reduce((sum, word) => sum + worth(word), 0);
  const folders = [...wordsOf(path.slice(0, Math.max(0, path.lastIndexOf("/"))))].reduce(
    (sum, word) => sum + worth(word),
    0,
  );
  return own * 1.5 + folders * 0.5;
}

/** Words of prose and names, `camelCase` split, in lower case. */
function wordsOf(text: string, shortest = 3): Set<string> {
  const apart = text.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replaceAll("_", " ");
  const words = [...apart.matchAll(WORD)].map(([word]) => word.toLowerCase().replace(/(?<=\p{L}{3})s$/u, ""));
  return new Set(words.filter((word) => word.length >= shortest && !COMMON.has(word)));
}
