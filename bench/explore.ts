// How well `locate` finds the files that a fix changed: `npm run bench:explore -- --cases FILE --mirrors DIR`.
// FILE has one issue with a known fix on each line; DIR has bare clones as OWNER+NAME/repo. Beside it stand a plain and
// a strong BM25 over whole files, computed in the same run, and the times of git and ripgrep on the same trees.
import { parseArgs } from "node:util";
import { readIssue } from "../src/domain/issue-text/issue-reading.ts";
import { readBlobs } from "../src/code/git/blobs.ts";
import type { OpenIndex } from "../src/code/index/explorer.ts";
import { locate } from "../src/code/search/rank-files.ts";
import type { Repository } from "../src/code/git/repository.ts";
import { searchTerms } from "../src/code/search/query.ts";
import { type Case, casesHere, goldOf } from "./cases.ts";
import { Bm25, isCandidate, PLAIN, STRONG } from "./bm25.ts";
import { timesOf } from "./explore-times.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    mirrors: { type: "string" },
    times: { type: "boolean", default: true },
    quality: { type: "boolean", default: true },
    each: { type: "boolean", default: false },
  },
  allowNegative: true,
});

interface Ranks {
  one: Case;
  files: number;
  /** Place of each gold file in each ranking; `Infinity` where it is missing. */
  ranks: Record<string, number[]>;
}

const RANKINGS = ["plain BM25", "strong BM25", "relay"];

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

async function ranksOf(one: Case, { code, index }: { code: Repository; index: OpenIndex }): Promise<Ranks> {
  const reading = readIssue({ title: one.issue_title, body: one.issue_body, labels: one.issue_labels });
  const located = await locate(index, searchTerms(reading), { limit: 200 });
  const anchor = await baselines(code);
  const gold = goldOf(one);
  const places = (paths: string[]) => gold.map((path) => paths.indexOf(path) + 1 || Infinity);
  return {
    one,
    files: index.corpus.files.length,
    ranks: {
      "plain BM25": places(anchor.rank(one.issue_title, one.issue_body, PLAIN)),
      "strong BM25": places(anchor.rank(one.issue_title, one.issue_body, STRONG)),
      relay: places(located.map(({ path }) => path)),
    },
  };
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function row(name: string, ranking: string, of: Ranks[]): string {
  const ranks = of.map((each) => each.ranks[ranking] ?? []);
  const recall = (most: number) =>
    (100 * mean(ranks.map((own) => own.filter((rank) => rank <= most).length / own.length))).toFixed(1).padStart(6);
  const reciprocal = mean(ranks.map((own) => 1 / Math.min(...own))).toFixed(3);
  return `${name.padEnd(26)} ${String(of.length).padStart(3)}  ${ranking.padEnd(12)} ${recall(1)} ${recall(5)} ${recall(10)}  ${reciprocal}`;
}

function report(all: Ranks[]): void {
  console.log(`\n${"".padEnd(26)}   n  ${"".padEnd(12)}  rec@1  rec@5 rec@10   MRR`);
  const groups = new Map<string, Ranks[]>([["all", all]]);
  const put = (name: string, each: Ranks) => groups.set(name, [...(groups.get(name) ?? []), each]);
  for (const each of all) put(each.one.language, each);
  for (const each of all)
    put(
      each.files < 1_000 ? "under 1,000 files" : each.files < 5_000 ? "1,000 to 4,999 files" : "5,000 files and more",
      each,
    );
  for (const [name, of] of groups)
    for (const ranking of RANKINGS) console.log(row(ranking === "relay" ? "" : name, ranking, of));
}

const here = casesHere(values);
if (here !== null) {
  const { cases, mirrorOf } = here;
  // First: starting git takes the longer, the more memory this process has.
  if (values.times) await timesOf(new Map(cases.map((one) => [one.repo, mirrorOf(one.repo)])), cases);
  if (values.quality && cases.length > 0) {
    const ranks: Ranks[] = [];
    for (const one of cases) {
      const opened = await here.open(one);
      const own = await ranksOf(one, opened);
      await opened.code.close();
      ranks.push(own);
      if (values.each)
        console.log(one.id.padEnd(32), own.ranks["relay"]?.join(","), "|", own.ranks["strong BM25"]?.join(","));
    }
    report(ranks);
  }
  await here.close();
}
