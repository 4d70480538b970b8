import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexedRepository, type IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { explorerTools, type ExplorerData } from "./explorer-tools.ts";
import type { ToolAnswer } from "./answer.ts";

const LINES = 1_000_000;
let large: IndexedRepository;
let wide: IndexedRepository;

beforeAll(async () => {
  const numbered = Array.from({ length: LINES }, (_, index) => `line ${index + 1} of many`).join("\n");
  const middle = "x=1,".repeat(375_000);
  const binary = Buffer.alloc(50 * 1024 * 1024, "needle in binary ");
  binary[0] = 0;
  large = await indexedRepository([
    {
      files: [
        { path: "many-lines.txt", content: numbered },
        { path: "short-lines.txt", content: "x\n".repeat(LINES) },
        { path: "binary.dat", content: binary },
        { path: "app.min.js", content: `${middle}needle()${middle}\nsecond` },
        { path: "one-line.js", content: `${"é".repeat(500_000)}needle ${"é".repeat(100_000)}` },
        { path: "huge-key.txt", content: `${"filler line\n".repeat(200_000)}${"QUJD".repeat(16)}\n` },
      ],
    },
  ]);
  const files = Array.from({ length: 50_000 }, (_, index) => ({ path: `flat/file-${index}.ts`, content: "x\n" }));
  wide = await indexedRepository([{ files }]);
}, 120_000);

afterAll(async () => {
  await large.remove();
  await wide.remove();
});

async function run(made: IndexedRepository, name: string, input: unknown): Promise<ToolAnswer<ExplorerData>> {
  const tool = explorerTools(made.index, { seconds: 60 }).find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const answer = await tool.run(input);
  const said = answer.kind === "answer" ? answer.text : answer.reason;
  expect(said.length).toBeLessThanOrEqual(30_000);
  expect(JSON.stringify(answer).length).toBeLessThan(200_000);
  return answer;
}

describe("very large things", () => {
  test("a search in a file of a million lines gives a page at once, and the next ones from there", async () => {
    const first = await run(large, "search_text", { text: "line", paths: ["many-lines.txt"], limit: 200 });
    expect(first).toMatchObject({ kind: "answer", data: { matches: { length: 200 } } });
    const far = await run(large, "search_text", { text: "999999 of", context: 2 });
    expect(far).toMatchObject({ data: { matches: [{ line: 999_999, text: "line 999999 of many", before: [] }] } });
  });

  test("a file over the limit is refused, and a small one of a million lines is read where asked", async () => {
    expect(await run(large, "read_lines", { path: "many-lines.txt", start: 5 })).toMatchObject({ kind: "refused" });
    expect(await run(large, "read_lines", { path: "short-lines.txt", start: 999_999 })).toMatchObject({
      text: "short-lines.txt (1000000 lines)\n 999999| x\n1000000| x",
    });
    expect(await run(large, "find_references", { name: "x", limit: 500, paths: ["short-lines.txt"] })).toMatchObject({
      data: { references: { length: 500 } },
    });
  });

  test("a large binary is neither read nor searched", async () => {
    expect(await run(large, "search_text", { text: "needle in binary" })).toMatchObject({ data: { matches: [] } });
    expect(await run(large, "read_lines", { path: "binary.dat" })).toMatchObject({ kind: "refused" });
  });

  test("a line of three megabytes is cut around the match", async () => {
    const answer = await run(large, "search_text", { text: "needle()" });
    expect(answer).toMatchObject({ data: { matches: [{ path: "app.min.js", line: 1 }] } });
    expect(answer).toMatchObject({
      text: expect.stringMatching(/^app\.min\.js\n {2}1: ….{100,200}needle\(\).{100,300}…$/),
    });
    const letters = await run(large, "search_text", { text: "needle " });
    expect(letters).toMatchObject({
      text: expect.stringMatching(/^one-line\.js\n {2}1: …é{100,200}needle é{100,300}…$/),
    });
    expect(await run(large, "read_lines", { path: "one-line.js" })).toMatchObject({
      text: expect.stringMatching(/^one-line\.js \(1 lines\)\n1\| é{990,999}…$/),
    });
  });

  test("what looks like a key in a file too large to look around in is masked", async () => {
    expect(await run(large, "search_text", { text: "QUJD" })).toMatchObject({
      data: { matches: [{ text: "[secret removed]" }] },
    });
  });

  test("fifty thousand files in a folder come page by page", async () => {
    const first = await run(wide, "find_files", { pattern: "flat/", limit: 1_000 });
    expect(first).toMatchObject({ data: { total: 50_000 }, next: expect.any(String) });
    expect(await run(wide, "find_files", { pattern: "file-49999" })).toMatchObject({ data: { total: 1 } });
    expect(await run(wide, "read_lines", { path: "flat/file-50001.ts" })).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("did you mean"),
    });
    expect(await run(wide, "search_text", { text: "x", paths: ["flat/*.ts"] })).toMatchObject({
      data: { matches: { length: 50 } },
    });
  });

  test("a call whose time is over is refused with what would help", async () => {
    const [search] = explorerTools(wide.index, { seconds: 0.001 });
    expect(await search?.run({ text: "nowhere in any file" })).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("took longer than 0.001 s; narrow it with paths"),
    });
  });

  test("an expression that would take git for ever ends with its time", async () => {
    const [search] = explorerTools(large.index, { seconds: 1 });
    expect(await search?.run({ text: "(x|=|1|,|x=)*y", regex: true, paths: ["app.min.js"] })).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("took longer than 1 s"),
    });
  });
});
