// One run of `bench/explore-times.ts` in a process of its own, so that the first answer pays for all that it loads:
//   node bench/first-answer.ts REPOSITORY OLDER NEWER HOME QUESTIONS
// QUESTIONS is a JSON file of titles and bodies. Prints one JSON document: milliseconds, of CPU for `warm`, and MB.
import { readFileSync } from "node:fs";
import { z } from "zod";
import { Explorer } from "../src/code/index/explorer.ts";
import { openRepository } from "../src/code/git/repository.ts";
import { searchCode } from "../src/code/search/search-code.ts";
import { searchTerms } from "../src/code/search/query.ts";
import { readForSearch } from "../src/domain/issue-text/issue-reading.ts";

const LIMIT = 20;
const [directory = ".", older = "HEAD", newer = "HEAD", home = "", questions = ""] = process.argv.slice(2);
const asked = z
  .array(z.object({ title: z.string(), body: z.string() }))
  .parse(JSON.parse(readFileSync(questions, "utf8")));

const before = performance.now();
const repository = await openRepository(directory, { ref: older });
const explorer = await Explorer.open(repository.gitDirectory, home);
let index = await explorer.at(repository);
const cold = performance.now() - before;
await search(0);
const first = performance.now() - before;

const later = await openRepository(directory, { ref: newer });
const updating = performance.now();
index = await explorer.at(later);
const update = performance.now() - updating;

const warm: number[] = [];
for (const at of asked.keys()) await search(at);
for (const at of asked.keys()) {
  const { user, system } = process.cpuUsage();
  await search(at);
  const after = process.cpuUsage();
  warm.push((after.user + after.system - user - system) / 1_000);
}
const files = index.files.length;
const memory = process.resourceUsage().maxRSS / 1_024;
explorer.close();
await Promise.all([repository.close(), later.close()]);
process.stdout.write(`${JSON.stringify({ files, cold, first, update, warm: median(warm), memory })}\n`);

async function search(at: number): Promise<void> {
  const { title = "", body = "" } = asked[at] ?? {};
  await searchCode(index, searchTerms(readForSearch({ title, body, labels: [] })), LIMIT);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
