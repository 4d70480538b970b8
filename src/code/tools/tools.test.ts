import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { indexedRepository, type IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { explorerTools, type ExplorerData } from "./explorer-tools.ts";
import type { ExplorerTool, ToolAnswer } from "./answer.ts";

const KEY = [
  "-----BEGIN RSA PRIVATE KEY-----",
  "MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn",
  "ab12==",
  "-----END RSA PRIVATE KEY-----",
];
const TOKEN = `ghp_${"a1B2".repeat(9)}`;

let made: IndexedRepository;
let tools: ExplorerTool<ExplorerData>[];

beforeAll(async () => {
  const cart = 'import { tax } from "./tax.ts";\n\nexport function total(items) {\n  return tax(items);\n}\n';
  made = await indexedRepository([
    {
      author: "Ann",
      at: "2024-01-01T00:00:00Z",
      subject: "Begin",
      files: [
        { path: "src/cart.ts", content: cart },
        { path: "src/tax.ts", content: "export function tax(items) {\n  return items.length;\n}\n" },
        {
          path: "src/shop/total-view.ts",
          content: 'import { total } from "../cart.ts";\n// TOTAL\ntotal([]); subtotal();\n',
        },
        { path: "README.md", content: "# Shop\n\nCounts the total.\n" },
        { path: "empty.txt", content: "" },
        { path: "odd.txt", content: "one\r\n\u202etwo\u200b\u2028three\u0007\n<!-- four -->\nfive" },
        { path: "config.txt", content: [`token = "${TOKEN}"`, ...KEY, "after = 1", ""].join("\n") },
        { path: "min.js", content: `${"a;".repeat(5_000)}needle${";b".repeat(5_000)}` },
      ],
    },
    {
      author: "Bob",
      at: "2026-01-01T00:00:00Z",
      subject: "Count \u202etogether",
      files: [
        { path: "src/cart.ts", content: `${cart}// more\n` },
        { path: "src/tax.ts", content: "export function tax(items) {\n  return items.length * 2;\n}\n" },
      ],
    },
  ]);
  tools = explorerTools(made.index);
});

afterAll(async () => await made.remove());

async function run(name: string, input: unknown, signal?: AbortSignal): Promise<ToolAnswer<ExplorerData>> {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return await tool.run(input, signal);
}

async function textOf(name: string, input: unknown): Promise<string> {
  const answer = await run(name, input);
  return answer.kind === "answer" ? answer.text : `refused: ${answer.reason}`;
}

describe("the list of tools", () => {
  test("each has a name, a description and an input that can be written as a JSON schema", () => {
    expect(tools.map((tool) => tool.name)).toEqual([
      "search_text",
      "find_files",
      "list_symbols",
      "read_lines",
      "find_references",
      "imports_of",
      "history",
    ]);
    for (const tool of tools) {
      expect(z.toJSONSchema(tool.input, { io: "input" })).toMatchObject({
        type: "object",
        additionalProperties: false,
      });
      expect(tool.description.length).toBeGreaterThan(100);
    }
  });

  test("what is answered survives JSON", async () => {
    const answers = await Promise.all([
      run("search_text", { text: "total", context: 1 }),
      run("history", { path: "src" }),
      run("imports_of", { path: "src/cart.ts" }),
    ]);
    for (const answer of answers) {
      expect(answer.kind).toBe("answer");
      expect(JSON.parse(JSON.stringify(answer))).toEqual(answer);
    }
  });

  test("input that does not fit, a cursor of something else and a cancelled call are refused", async () => {
    expect(await textOf("read_lines", { path: "src/cart.ts", from: 1 })).toContain("from");
    expect(await textOf("read_lines", "src/cart.ts")).toContain("refused: the input does not fit");
    const first = await run("read_lines", { path: "src/cart.ts", limit: 1 });
    const cursor = first.kind === "answer" ? first.next : undefined;
    expect(await textOf("read_lines", { cursor, limit: 1, path: "src/cart.ts" })).toContain("2| ");
    expect(await textOf("read_lines", { path: "src/tax.ts", limit: 1, cursor })).toContain("another tool, input");
    expect(await textOf("read_lines", { path: "src/cart.ts", limit: 1, cursor: "x" })).toContain("another tool, input");
    expect(await run("search_text", { text: "total" }, AbortSignal.abort())).toEqual({
      kind: "refused",
      reason: "the call was cancelled",
    });
  });

  test("a cursor of one commit is refused at another", async () => {
    const other = await indexedRepository([{ files: [{ path: "src/cart.ts", content: "1\n2\n3\n" }] }]);
    const asked = { path: "src/cart.ts", limit: 1 };
    const first = await explorerTools(other.index)
      .find((tool) => tool.name === "read_lines")
      ?.run(asked);
    await other.remove();
    const cursor = first?.kind === "answer" ? first.next : undefined;
    expect(cursor).toBeDefined();
    expect(await textOf("read_lines", { ...asked, cursor })).toContain("refused");
  });
});

describe("search_text", () => {
  test("says that a | was taken as it is, unless it is a regular expression", async () => {
    expect(await textOf("search_text", { text: "total|sum" })).toContain('set "regex" to search for one of several');
    expect(await textOf("search_text", { text: "total|sum", regex: true })).not.toContain('set "regex"');
  });

  test("finds a text by file and line, in the asked case and paths", async () => {
    expect(await textOf("search_text", { text: "total", paths: ["src/**"] })).toBe(
      [
        "src/cart.ts",
        "  3: export function total(items) {",
        "src/shop/total-view.ts",
        '  1: import { total } from "../cart.ts";',
        "  3: total([]); subtotal();",
      ].join("\n"),
    );
    expect(await textOf("search_text", { text: "TOTAL", ignore_case: true, paths: ["!src"] })).toContain("README.md");
    expect(await textOf("search_text", { text: "total", paths: ["src/shop"] })).not.toContain("src/cart.ts");
    expect(await textOf("search_text", { text: "total(", paths: ["*.md"] })).toContain("Nothing found in 1 files");
  });

  test("takes regular expressions as models write them, and refuses the others with a reason", async () => {
    expect(await textOf("search_text", { text: String.raw`^export\s+function\s\w+\(`, regex: true })).toContain(
      "3: export",
    );
    expect(await textOf("search_text", { text: "(?<=a)b", regex: true })).toContain("no look-around");
    expect(await textOf("search_text", { text: "total(", regex: true })).toContain("git refuses the expression");
    expect(await textOf("search_text", { text: "^.?\u202e", regex: true })).toContain("odd.txt");
  });

  test("shows lines around a match, and cuts long ones around it", async () => {
    expect(await textOf("search_text", { text: "tax(items);", context: 1 })).toBe(
      "src/cart.ts\n  3- export function total(items) {\n  4:   return tax(items);\n  5- }",
    );
    const cut = await textOf("search_text", { text: "needle" });
    expect(cut).toMatch(/^min\.js\n {2}1: ….*needle.*…$/);
    expect(cut.length).toBeLessThan(450);
  });

  test("does not show credentials", async () => {
    expect(await textOf("search_text", { text: "token =" })).toContain('token = "[secret removed]"');
    expect(await textOf("search_text", { text: "MIIE" })).toContain("  3: [secret removed]");
    expect(await textOf("search_text", { text: "ab12" })).not.toContain("ab12");
    expect(await textOf("search_text", { text: "after", context: 5 })).not.toMatch(/MIIE|ghp_/);
  });
});

describe("find_files", () => {
  test("lists by glob, by folder and by part of a name, best first", async () => {
    expect(await textOf("find_files", { pattern: "*.ts" })).toMatch(/^3 files\nsrc\/cart\.ts \(typescript, \d+ B\)\n/);
    expect(await textOf("find_files", { pattern: "src/shop/" })).toContain("src/shop/total-view.ts");
    expect(await textOf("find_files", { pattern: "totalview" })).toContain("1 file\nsrc/shop/total-view.ts");
    expect(await textOf("find_files", { pattern: "cart" })).toMatch(/^1 file\nsrc\/cart\.ts/);
    expect(await textOf("find_files", { pattern: "crat.ts" })).toContain("src/cart.ts");
    expect(await textOf("find_files", { pattern: "nowhere-at-all" })).toContain("No file fits");
  });
});

describe("list_symbols", () => {
  test("gives the outline of a file, and finds definitions by name, prefix and kind", async () => {
    expect(await textOf("list_symbols", { paths: ["src/cart.ts"] })).toBe("src/cart.ts\n  3-5: function total");
    expect(await textOf("list_symbols", { name: "TAX" })).toBe("src/tax.ts\n  1-3: function tax");
    expect(await textOf("list_symbols", { prefix: "to", kinds: ["function"] })).toContain("function total");
    expect(await textOf("list_symbols", { name: "tax", kinds: ["class"] })).toContain("No such definition");
    expect(await textOf("list_symbols", {})).toContain("refused: give a path");
    expect(await textOf("list_symbols", { paths: ["src/crat.ts"] })).toContain("did you mean src/cart.ts?");
  });
});

describe("read_lines", () => {
  test("numbers the lines as the file has them, without what is hidden in them", async () => {
    expect(await textOf("read_lines", { path: "odd.txt" })).toBe(
      "odd.txt (4 lines)\n1| one\n2| two three\n3| <!-- four -->\n4| five",
    );
    expect(await textOf("read_lines", { path: "src/cart.ts", start: 3, end: 4 })).toContain(
      "3| export function total(items) {\n4|   return tax(items);",
    );
    expect(await textOf("read_lines", { path: "empty.txt" })).toContain("The file is empty.");
  });

  test("masks keys and keeps the count of lines", async () => {
    const text = await textOf("read_lines", { path: "config.txt" });
    expect(text).not.toMatch(/MIIE|ab12|ghp_/);
    expect(text).toContain("6| after = 1");
  });

  test("a wrong path or range is refused with what would be right", async () => {
    expect(await textOf("read_lines", { path: "lib/cart.ts" })).toContain("did you mean src/cart.ts?");
    expect(await textOf("read_lines", { path: "src" })).toContain("is a folder");
    expect(await textOf("read_lines", { path: "src/cart.ts/x" })).toContain("is a file, not a folder");
    expect(await textOf("read_lines", { path: "src/cart.ts", start: 99 })).toContain("has 6 lines");
    expect(await textOf("read_lines", { path: "src/cart.ts", start: 3, end: 2 })).toContain("before the start");
  });
});

describe("find_references", () => {
  test("finds whole words in their own case, definitions marked, by file", async () => {
    expect(await textOf("find_references", { name: "total" })).toBe(
      [
        "README.md",
        "  3: Counts the total.",
        "src/cart.ts",
        "  3: [def] export function total(items) {",
        "src/shop/total-view.ts",
        '  1: import { total } from "../cart.ts";',
        "  3: total([]); subtotal();",
      ].join("\n"),
    );
    expect(await textOf("find_references", { name: "total()", paths: ["*.md"] })).toContain("README.md");
    expect(await textOf("find_references", { name: "cart.total" })).toContain('did you mean "total"?');
    expect(await textOf("find_references", { name: "nope" })).toContain("stands nowhere");
  });
});

describe("imports_of", () => {
  test("tells imports and importers", async () => {
    expect(await textOf("imports_of", { path: "src/cart.ts" })).toBe(
      [
        "src/cart.ts: 1 imports, imported by 1 files",
        "imports",
        "  1: ./tax.ts -> src/tax.ts",
        "imported by",
        "  src/shop/total-view.ts",
      ].join("\n"),
    );
    expect(await textOf("imports_of", { path: "src" })).toContain("is a folder");
    expect(await textOf("imports_of", { path: "README.md" })).toContain("No imports");
  });
});

describe("history", () => {
  test("tells commits, who knows the file, and what changes together with it", async () => {
    const answer = await run("history", { path: "src/cart.ts" });
    expect(answer).toMatchObject({
      kind: "answer",
      data: {
        commits: 2,
        changes: [
          { author: "Bob", subject: "Count together", files: 2 },
          { author: "Ann", subject: "Begin", files: 8 },
        ],
        authors: [
          { name: "Bob", commits: 1, share: 50 },
          { name: "Ann", commits: 1, share: 50 },
        ],
        together: [{ path: "src/tax.ts", commits: 2, share: 100 }],
      },
    });
    expect(await textOf("history", { path: "." })).toContain("2 commits looked at");
    expect(await textOf("history", { path: "src/shop" })).toContain("1 commits looked at");
    expect(await textOf("history", { path: "nope" })).toContain("refused");
  });
});
