import { afterAll, beforeAll, expect, test } from "vitest";
import { cycleFacts, message } from "../../../test/support/cycle-facts.ts";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { locate } from "../../code/search/rank-files.ts";
import { phrases } from "../../i18n/phrases.ts";
import { readFacts } from "./facts.ts";
import { changedFindings } from "./findings.ts";

const FILES: Record<string, string> = {
  "src/routes.ts":
    'export function cargoRoutes(app) {\n  app.get("/cargo", () => listCargo());\n  app.post("/cargo", (reply) => reply.code(400).send());\n}\n',
  "src/list.ts":
    "export function listCargo(after) {\n  const start = crates.findIndex((crate) => crate.id === after) + 1;\n  return crates.slice(start);\n}\n",
  "src/sort.ts": "export function sortCargo(cargo) {\n  return cargo.toSorted();\n}\n",
  "src/Manifest.java": "class Manifest {\n  Crate parse(String line) {\n    return new Crate(line);\n  }\n}\n",
  "src/Waybill.java": "class Waybill {\n  Crate parse(String line) {\n    return new Crate(line);\n  }\n}\n",
  "src/scales.ts": "export function weigh(crate) {\n  return crate.kilos;\n}\n",
  "test/list.test.ts": "import { listCargo } from '../src/list';\n\ntest('lists', () => listCargo());\n",
  "test/scales.test.ts": "import { weigh } from '../src/scales';\n\ntest('weighs', () => weigh({}));\n",
  "docs/export.md": "# Export\n\nCargo is exported.\n",
  "docs/settings.md": "# Settings\n\nThe timeout of cargo is in seconds.\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

/** Where the findings begin that a thread leads to; Mia decides, Ann reports. */
async function begun(title: string, body: string, ...said: (string | { ann: string })[]) {
  const { index } = repository;
  const base = cycleFacts({});
  const issue = { ...base.issue, title, body, labels: [] };
  const messages = said.map((one, at) =>
    typeof one === "string" ? message(2 * at + 1, one) : message(2 * at + 2, one.ann),
  );
  const facts = readFacts({ issue, participants: base.participants }, messages);
  const look = { ...facts, code: index.repository, index, say: phrases("questions", "en"), wished: [], forbidden: [] };
  const located = await locate(index, facts.terms);
  const { add } = await changedFindings(located, [], { ...look, report: `${title}\n${body}` });
  return add.filter(({ sources }) => !/^(?:callers|tests)$/.test(sources[0]?.found_by ?? ""));
}

const starts = (found: Awaited<ReturnType<typeof begun>>) => found.map(({ sources }) => sources[0]?.location);

test("a function that a decision names comes before what the report names or returns", async () => {
  const found = await begun(
    "Cargo twice",
    "The cargo is shown twice, I blame `sortCargo`. `GET /cargo` answers 400.",
    "That's it: `listCargo` starts from the top. An unknown one should be a 400.",
  );
  expect(starts(found)[0]).toContain("src/list.ts");
  expect(found[0]?.synthesis).toBe("`src/list.ts` has `listCargo`, which a decision of the thread names.");
});

test("of `Manifest.parse`, the file of Manifest is meant; what has no fault is not", async () => {
  const report = "Cargo of `listCargo` is lost when I weigh it.";
  const decision = "`weigh` is not to blame: the line is read wrong. We fix it in `Manifest.parse`.";
  expect(starts(await begun("Lost cargo", report, decision))[0]).toBe("src/Manifest.java:2");
});

test("a message that asks is still looking for the fault, and the reporter's own names are the report", async () => {
  const report = "The scales are wrong: `weigh` doubles the kilos.";
  expect(starts(await begun("Wrong scales", report, "Is it `listCargo`? I do not see how."))[0]).toBe(
    "src/scales.ts:2",
  );
  expect(starts(await begun("Wrong scales", report, { ann: "I looked at `listCargo` as well." }))[0]).toBe(
    "src/scales.ts:2",
  );
});

test("the test that a decision names is taken, and what it tests comes first", async () => {
  const found = await begun(
    "Lost cargo",
    "Cargo of `listCargo` is lost on the scales.",
    "Agreed, with a test in `test/scales.test.ts`.",
  );
  expect(starts(found)[0]).toContain("src/scales.ts");
  expect(starts(found).at(-1)).toContain("test/scales.test.ts");
});

test("a page that a decision names comes before the pages that the report names", async () => {
  const report = "docs/export.md is unclear, and docs/settings.md says that the timeout is in seconds.";
  const found = await begun(
    "docs: timeout in minutes?",
    report,
    "The timeout in docs/settings.md is right. Please say in docs/export.md that cargo has kilos.",
  );
  expect(starts(found)[0]).toContain("docs/export.md");
});
