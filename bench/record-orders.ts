// Records the orders of the configured model (`models.rerank`, or `model`) for `npm run bench:explore -- --reranked FILE`:
// `node --no-warnings bench/record-orders.ts --cases FILE --mirrors DIR > FILE`. One call for each case, which costs money;
// answers are kept in `RELAY_HOME`, so that a second run pays only for what failed. What failed is told, and left out.
import { parseArgs } from "node:util";
import { openOrderer } from "../src/app/models/orderer.ts";
import { ordersIn } from "../src/code/rerank/kept-orders.ts";
import { rerank } from "../src/code/rerank/rerank.ts";
import { locate } from "../src/code/search/rank-files.ts";
import { searchTerms } from "../src/code/search/query.ts";
import { loadConfig } from "../src/config/config.ts";
import { readIssue } from "../src/domain/issue-text/issue-reading.ts";
import { casesHere } from "./cases.ts";

const { values } = parseArgs({ options: { cases: { type: "string" }, mirrors: { type: "string" } } });
const config = loadConfig(undefined);
const kept = ordersIn(config.home, console.error);
const here = casesHere(values);
for (const one of here?.cases ?? []) {
  const opened = await here?.open(one);
  if (opened === undefined) continue;
  const { code, index } = opened;
  const terms = searchTerms(readIssue({ title: one.issue_title, body: one.issue_body, labels: one.issue_labels }));
  const orderer = await openOrderer(config, code, { role: "explore", kept });
  if (orderer === null) throw new Error("No model is configured: set RELAY_MODEL_RERANK.");
  const { files, notice } = await rerank(index, terms, await locate(index, terms), orderer);
  await code.close();
  const placed = files.filter(({ placement }) => placement !== null);
  const paths = placed.map(({ path }) => path);
  const lines = Object.fromEntries(placed.flatMap(({ path, lines: [first] }) => (first ? [[path, first.line]] : [])));
  if (notice === null) console.log(JSON.stringify({ id: one.id, paths, lines }));
  else console.error(`${one.id}: ${notice}`);
}
await here?.close();
