import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { searchTerms } from "./query.ts";
import { type Located, locate } from "./rank-files.ts";

const FILES: Record<string, string> = {
  "Cargo.toml": '[package]\nname = "ferry"\n',
  "src/main.rs":
    "fn main() {\n    for file in files() {\n        let text = read_cargo(&file).unwrap();\n        print(text);\n    }\n}\n",
  "src/store.py":
    '"""Keeps the moored boats of the pier on disk."""\n\n\ndef keep(boats):\n    # the moored boats of the pier are kept\n    return write(boats)\n',
  "src/horn.ts": "// The ferry blows.\nexport function blow() {\n  return ferry.horn();\n}\n",
  "docs/mooring.md": "# Mooring at the quay\n\nText.\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

async function found(path: string, body: string): Promise<Located | undefined> {
  const terms = searchTerms(readForSearch({ title: "Odd", body, labels: [] }));
  return (await locate(repository.index, terms)).find((one) => one.path === path);
}

test("a line of a trace that only closes a block here leads to the best line of its function", async () => {
  const trace = "```\nthread 'main' panicked at src/main.rs:6:53:\nread_cargo failed\n```";
  expect((await found("src/main.rs", trace))?.lines[0]?.line).toBe(3);
  expect((await found("src/main.rs", "It fails in src/main.rs:5 with read_cargo."))?.lines[0]?.line).toBe(3);
});

test("code comes before comments and docstrings that have more of the words", async () => {
  expect((await found("src/store.py", "The moored boats of the pier are gone from disk."))?.lines[0]?.text).toBe(
    "return write(boats)",
  );
  expect((await found("docs/mooring.md", "Mooring at the quay is unclear."))?.lines[0]?.line).toBe(1);
});

test("the project's own name is no reason", async () => {
  const horn = await found("src/horn.ts", "The ferry has no horn.");
  expect(horn?.reasons).toEqual([
    { kind: "path", words: ["horn"] },
    expect.objectContaining({ kind: "words", words: ["horn"] }),
  ]);
  const only = await found("src/horn.ts", "The ferry is late.");
  expect(only?.reasons).toEqual([expect.objectContaining({ kind: "words", isVague: true })]);
});
