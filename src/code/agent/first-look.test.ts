import { afterAll, beforeAll, expect, test } from "vitest";
import { indexedRepository, type IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { createFileAccess } from "../tools/file-access.ts";
import { firstLook } from "./first-look.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

let made: IndexedRepository;

beforeAll(async () => {
  made = await indexedRepository([
    {
      files: [
        {
          path: "src/ledger.ts",
          content: `const token = "${TOKEN}"; // ledger token\n\nexport function reconcileLedger(rows) {\n  return rows;\n}\n`,
        },
        { path: "test/ledger.test.ts", content: "// reconcileLedger\u202e keeps the rows\n" },
        { path: "secrets.yaml", content: "ledger: reconcileLedger hunter2\n" },
        { path: "private/ledger.ts", content: "export const ledger = 'reconcileLedger inside';\n" },
        ...Array.from({ length: 60 }, (_, n) => ({
          path: `src/${"deep/".repeat(20)}widget${n}.ts`,
          content: `export function widget${n}() {\n  return "${"gizmo ".repeat(60)}";\n}\n`,
        })),
      ],
    },
  ]);
});

afterAll(async () => await made.remove());

async function look(question: string, { context = "", files = 5 } = {}): Promise<string> {
  const fileAccess = createFileAccess(made.index, { protect: ["private/**"] });
  return await firstLook(made.index, fileAccess, { question, context }, files);
}

test("names the files with reasons, symbols and lines, code before tests", async () => {
  const seen = await look("Where is `reconcileLedger` defined?");
  expect(seen).toMatch(/^src\/ledger\.ts \(source\): .*defines reconcileLedger/);
  expect(seen).toContain("\n  3-5 function reconcileLedger\n");
  expect(seen).toContain("\n  3: export function reconcileLedger(rows) {");
  expect(seen.indexOf("test/ledger.test.ts (test)")).toBeGreaterThan(0);
});

test("shows nothing of protected files, no credentials and no hidden characters", async () => {
  const seen = await look("reconcileLedger hunter2 ledger token inside secrets");
  expect(seen).toContain("src/ledger.ts");
  for (const hidden of ["secrets.yaml", "hunter2", "private/", TOKEN, "\u202e"]) expect(seen).not.toContain(hidden);
});

test("uses the context as well as the question", async () => {
  expect(await look("What does it return?", { context: "`reconcileLedger` loses rows" })).toContain("src/ledger.ts");
});

test("is empty where nothing speaks for any file", async () => {
  expect(await look("zzyzx qwfpgj")).toBe("");
});

test("is never longer than 8,000 characters", async () => {
  const seen = await look("widget gizmo", { files: 60 });
  expect(seen.length).toBeGreaterThan(4_000);
  expect(seen.length).toBeLessThanOrEqual(8_000);
});
