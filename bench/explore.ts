// How well `locate` finds the files and lines that a fix changed:
// `npm run bench:explore -- --cases FILE --mirrors DIR [--reranked FILE]`.
// The cases have one issue with a known fix on each line; DIR has bare clones as OWNER+NAME/repo. Beside it stand a plain
// and a strong BM25 over whole files, computed in the same run, and the times of git on the same trees. A
// file of recorded re-rankings adds a ranking: one JSON object on each line, `{ "id": …, "paths": […], "lines": {…} }`, whose
// paths come first in that order, followed by the rest of Relay's; `lines` has the first line shown of each path.
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { readIssue } from "../src/domain/issue-text/issue-reading.ts";
import { readBlobs } from "../src/code/git/blobs.ts";
import type { OpenIndex } from "../src/code/index/explorer.ts";
import { beginningAt } from "../src/code/rerank/rerank.ts";
import { locate } from "../src/code/search/rank-files.ts";
import { foundFile } from "../src/code/search/search-code.ts";
import type { Repository } from "../src/code/git/repository.ts";
import { searchTerms } from "../src/code/search/query.ts";
import { type Case, casesHere, goldOf } from "./cases.ts";
import { Bm25, isCandidate, PLAIN, STRONG } from "./bm25.ts";
import { timesOf } from "./explore-times.ts";
import { linesHit, type LinesHit } from "./explore-lines.ts";
import { interval, mean } from "./bootstrap.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    mirrors: { type: "string" },
    reranked: { type: "string" },
    times: { type: "boolean", default: true },
    quality: { type: "boolean", default: true },
    each: { type: "boolean", default: false },
  },
  allowNegative: true,
});

interface Result {
  one: Case;
  files: number;
  /** Place of each gold file in each ranking; `Infinity` where it is missing. */
  ranks: Record<string, number[]>;
  lines: Record<string, LinesHit[]>;
}

const RELAY = "relay";
const RERANKED = "reranked";
const rerankedSchema = z.object({
  id: z.string(),
  paths: z.array(z.string()),
  lines: z.record(z.string(), z.number()).default({}),
});
const reranked = rerankings(values.reranked);
const RANKINGS = ["plain BM25", "strong BM25", RELAY, ...(reranked ? [RERANKED] : [])];
const FILES_WITH_LINES = 10;

function rerankings(file: string | undefined): ReadonlyMap<string, z.output<typeof rerankedSchema>> | null {
  if (file === undefined) return null;
  if (!existsSync(file)) throw new Error(`There is no file of re-rankings at ${file}: check --reranked.`);
  const lines = readFileSync(file, "utf8").split("\n");
  const rows = lines.filter((line) => line.trim() !== "").map((line) => rerankedSchema.parse(JSON.parse(line)));
  return new Map(rows.map((one) => [one.id, one]));
}

async function baselines(repository: Repository): Promise<Bm25> {
  const files = (await repository.files()).filter(
    ({ kind, path, size }) => kind === "file" && isCandidate(path, size ?? 0),
  );
  const index = new Bm25();
  const names = files.map((file) => file.objectName);
  await readBlobs(repository.gitDirectory, names, 1e6, (blob, at) => {
    const path = files[at]?.path;
    if (blob.kind === "blob" && path !== undefined) index.add(path, blob.content);
  });
  return index;
}

async function resultOf(one: Case, { code, index }: { code: Repository; index: OpenIndex }): Promise<Result> {
  const reading = readIssue({ title: one.issue_title, body: one.issue_body, labels: one.issue_labels });
  let found: string[] = [];
  const located = await locate(index, searchTerms(reading), {
    limit: 200,
    shown: (all) => {
      found = all.map(({ path }) => path);
      return all.slice(0, FILES_WITH_LINES);
    },
  });
  const anchor = await baselines(code);
  const gold = goldOf(one);
  const ordered = reranked?.get(one.id);
  const places = (paths: string[]) => gold.map((path) => paths.indexOf(path) + 1 || Infinity);
  const hits = (first: Record<string, number>) =>
    located
      .filter(({ path }) => gold.includes(path))
      .map((file) => foundFile(beginningAt(first[file.path] ?? null, file)))
      .flatMap((file) => linesHit(code.gitDirectory, one, file) ?? []);
  return {
    one,
    files: index.corpus.files.length,
    ranks: {
      "plain BM25": places(anchor.rank(one.issue_title, one.issue_body, PLAIN)),
      "strong BM25": places(anchor.rank(one.issue_title, one.issue_body, STRONG)),
      [RELAY]: places(found),
      [RERANKED]: places([...new Set([...(ordered?.paths ?? []), ...found])]),
    },
    lines: { [RELAY]: hits({}), [RERANKED]: hits(ordered?.lines ?? {}) },
  };
}

/** What is measured of a ranking, by case. */
const MEASURES: readonly { name: string; of: (ranks: readonly number[]) => number }[] = [
  { name: "hit@1", of: (ranks) => (Math.min(...ranks) === 1 ? 100 : 0) },
  ...[1, 5, 10].map((most) => ({
    name: `rec@${most}`,
    of: (ranks: readonly number[]) => (100 * ranks.filter((rank) => rank <= most).length) / ranks.length,
  })),
  { name: "MRR", of: (ranks) => 1 / Math.min(...ranks) },
];

/** A mean and its 95 % interval, in 21 characters. */
function cell(name: string, numbers: readonly number[]): string {
  const digits = name === "MRR" ? 3 : 1;
  const [low, high] = interval(numbers);
  return `${mean(numbers).toFixed(digits)} (${low.toFixed(digits)}-${high.toFixed(digits)})`.padStart(21);
}

function row(name: string, ranking: string, of: readonly Result[]): string {
  const cells = MEASURES.map((measure) =>
    cell(
      measure.name,
      of.map((each) => measure.of(each.ranks[ranking] ?? [])),
    ),
  );
  return `${name.padEnd(22)} ${String(of.length).padStart(3)} ${ranking.padEnd(11)}${cells.join("")}`;
}

function linesRow(name: string, ranking: string, of: readonly Result[]): string {
  const lines = of.flatMap((each) => each.lines[ranking] ?? []);
  const share = (hit: keyof LinesHit) =>
    cell(
      hit,
      lines.map((each) => (each[hit] ? 100 : 0)),
    );
  return `${name.padEnd(22)} ${String(lines.length).padStart(3)} ${ranking.padEnd(11)}${share("symbol")}${share("firstLine")}`;
}

function groupsOf(all: readonly Result[]): Map<string, Result[]> {
  const groups = new Map<string, Result[]>([["all", [...all]]]);
  const put = (name: string, each: Result) => groups.set(name, [...(groups.get(name) ?? []), each]);
  for (const each of all) put(each.one.language, each);
  for (const { name, least, below } of SIZES)
    for (const each of all) if (each.files >= least && each.files < below) put(name, each);
  return groups;
}

const SIZES = [
  { name: "under 1,000 files", least: 0, below: 1_000 },
  { name: "1,000 to 4,999 files", least: 1_000, below: 5_000 },
  { name: "5,000 files and more", least: 5_000, below: Infinity },
];

function report(all: readonly Result[]): void {
  const groups = groupsOf(all);
  const heads = MEASURES.map(({ name }) => name.padStart(21)).join("");
  console.log(`\nFiles: mean and 95 % interval\n${"".padEnd(22)}   n ${"".padEnd(11)}${heads}`);
  for (const [name, of] of groups)
    for (const ranking of RANKINGS) console.log(row(ranking === "plain BM25" ? name : "", ranking, of));
  console.log(
    `\nLines in the gold files of the top ten, % of files\n${"".padEnd(22)}   n ${"".padEnd(11)}${"symbol <= 120".padStart(21)}${"first within 10".padStart(21)}`,
  );
  for (const [name, of] of groups)
    for (const ranking of [RELAY, ...(reranked ? [RERANKED] : [])])
      console.log(linesRow(ranking === RELAY ? name : "", ranking, of));
}

const here = casesHere(values);
if (here !== null) {
  const { cases, mirrorOf } = here;
  // First: starting git takes the longer, the more memory this process has.
  if (values.times) timesOf(new Map(cases.map((one) => [one.repo, mirrorOf(one.repo)])), cases);
  if (values.quality && cases.length > 0) {
    const results: Result[] = [];
    for (const one of cases) {
      const opened = await here.open(one);
      const own = await resultOf(one, opened);
      await opened.code.close();
      results.push(own);
      if (values.each)
        console.log(one.id.padEnd(32), own.ranks[RELAY]?.join(","), "|", own.ranks["strong BM25"]?.join(","));
    }
    report(results);
  }
  await here.close();
}
