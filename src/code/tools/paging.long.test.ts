import { assert, asyncProperty, constantFrom, integer } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexedRepository, type IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { explorerTools, type ExplorerData } from "./explorer-tools.ts";
import { triesOf } from "../../../test/support/tries.ts";

let made: IndexedRepository;

beforeAll(async () => {
  const code = (index: number) =>
    Array.from({ length: 12 }, (_, line) =>
      line % 3 === 0
        ? `export function shared${line}() { // ${"wide ".repeat(index * 3)}`
        : `  total(${line}); total();`,
    ).join("\n");
  const files = Array.from({ length: 12 }, (_, index) => ({
    path: `src/${index % 3}/part-${index}.ts`,
    content: code(index),
  }));
  const imports = files.map(({ path }) => `import { a } from "./${path}";`).join("\n");
  const commits = Array.from({ length: 30 }, (_, index) => ({
    author: `Author ${index % 4}`,
    at: new Date(Date.UTC(2026, 0, index + 1)).toISOString(),
    subject: `Change ${index}`,
    files: [
      { path: "all.ts", content: `${imports}\n// ${index}\n` },
      ...(index === 0 ? files : files.slice(index % 5, index % 9)),
    ],
  }));
  made = await indexedRepository(commits);
});

afterAll(async () => await made.remove());

const LISTINGS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["search_text", { text: "total" }],
  ["search_text", { text: "shared[0-9]", regex: true, context: 2 }],
  ["find_files", { pattern: "**" }],
  ["find_files", { pattern: "part" }],
  ["list_symbols", { prefix: "sha" }],
  ["read_lines", { path: "src/0/part-9.ts", start: 2 }],
  ["find_references", { name: "total" }],
  ["imports_of", { path: "all.ts" }],
  ["history", { path: "." }],
  ["history", { path: "all.ts" }],
];

function rowsOf(data: ExplorerData): unknown[] {
  switch (data.tool) {
    case "search_text":
      return data.matches;
    case "find_files":
      return data.files;
    case "list_symbols":
      return data.symbols;
    case "read_lines":
      return data.lines;
    case "find_references":
      return data.references;
    case "imports_of":
      return data.links;
    case "history":
      return [...data.authors, ...data.together, ...data.changes];
    default:
      return data satisfies never;
  }
}

async function allRows(name: string, input: Record<string, unknown>): Promise<{ rows: unknown[]; pages: number }> {
  const tool = explorerTools(made.index).find((each) => each.name === name);
  const rows: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const answer = await tool?.run({ ...input, ...(cursor === undefined ? {} : { cursor }) });
    if (answer?.kind !== "answer") throw new Error(answer?.reason);
    expect(answer.text.length).toBeLessThanOrEqual(Number(input["max_characters"]));
    rows.push(...rowsOf(answer.data));
    if (answer.next === undefined) return { rows, pages };
    cursor = answer.next;
  }
}

test("the pages together give every result exactly once, in the same order, whatever their size", async () => {
  const whole = new Map<unknown, unknown[]>();
  for (const [name, input] of LISTINGS) {
    const most = { ...input, limit: 100, max_characters: 30_000 };
    whole.set(input, (await allRows(name, most)).rows);
    expect(whole.get(input)?.length).toBeGreaterThan(4);
  }
  const limit = integer({ min: 1, max: 30 });
  const characters = integer({ min: 4_000, max: 9_000 });
  await assert(
    asyncProperty(constantFrom(...LISTINGS), limit, characters, async ([name, input], most, max) => {
      const { rows } = await allRows(name, { ...input, limit: most, max_characters: max });
      expect(rows).toEqual(whole.get(input));
    }),
    { numRuns: triesOf(60) },
  );
});

test("a page ends where its characters are full", async () => {
  const input = { text: "shared[0-9]", regex: true, context: 2, limit: 200, max_characters: 4_000 };
  expect((await allRows("search_text", input)).pages).toBeGreaterThan(1);
});
