import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SpecRef } from "../domain/spec.ts";
import { readSpec, specStub } from "./read.ts";

const content = readFileSync(new URL("../../test/fixtures/specs/L1.md", import.meta.url), "utf8");
const ref: SpecRef = {
  version: 1,
  backend: "local",
  path: "relay_specs/issue_1_local_7_bibtex/spec.md",
  updated_at: "2026-11-20T10:00:00Z",
  sha256: "c".repeat(64),
  format: "markdown",
};
const stored = { content, ref };
const head = `Path: ${ref.path}\nLast updated: ${ref.updated_at}\nSHA256: ${ref.sha256}`;

const draft = { status: "draft", stale: [] };

test("without a spec, it says so", () => {
  expect(readSpec(null, { mode: "summary" })).toBe("No spec exists for this issue.");
  expect(readSpec(null, { mode: "full", section: "design" })).toBe("No spec exists for this issue.");
});

test("the summary holds metadata, contents with lines, and the TL;DR", () => {
  const text = readSpec(stored, { mode: "summary" });
  expect(text.startsWith(`${head}\n\nContents:\n- TL;DR (line 8)\n- Problem Statement (line 15)\n`)).toBe(true);
  expect(text).toMatch(/Excerpt:\n> ## TL;DR\n>\n> - `shelf export[^]*> - The JSON export stays as it is\.$/);
});

test("the full text is cut at a bound, and says by how much", () => {
  expect(readSpec(stored, { mode: "full" })).toBe(`${head}\n\n${content}`);
  const cut = readSpec(stored, { mode: "full", maxChars: 100 });
  expect(cut).toBe(
    `${head}\n\n${content.slice(0, 100)}\n\n[truncated: ${content.length - 100} of ${content.length} characters left out]`,
  );
  const long = { content: `# Spec: a\n${"x".repeat(40_000)}`, ref };
  expect(readSpec(long, { mode: "full" })).toContain("[truncated: 10010 of 40010 characters left out]");
  expect(readSpec({ content: "😀😀", ref }, { mode: "full", maxChars: 1 }).isWellFormed()).toBe(true);
});

test("one section is found by a part of its heading in any case", () => {
  const section = readSpec(stored, { mode: "full", section: "NON-GOALS" });
  expect(section).toMatch(/^Path: [^]*\n\n## Goals \/ Non-goals\n[^]*- Keys in a pattern of the user's own\.\n$/);
  expect(readSpec({ content: content.replaceAll("\n", "\r\n"), ref }, { mode: "summary", section: "non-goals" })).toBe(
    section,
  );
  expect(readSpec(stored, { mode: "full", section: "pricing" })).toContain(
    "The spec has no section “pricing”. Its sections: TL;DR; Problem Statement; Success Criteria;",
  );
});

test("the stub is short, whatever the spec", () => {
  const stub = specStub(content, ref, draft);
  expect(stub).toMatch(/^Path: [^]*\nStatus: draft\n\n> ## TL;DR\n[^]*\n\nUse `read_spec` for the full text\.$/);
  const quoted = (text: string) => specStub(text, ref, draft).match(/^>/gm)?.length ?? 0;
  expect(quoted(content)).toBe(6);
  expect(quoted(`## TL;DR\n\n${"- a\n".repeat(50)}`)).toBe(15);
  expect(quoted("x\n".repeat(50))).toBe(15);
  const stale = [{ location: "src/a.ts:3", what: "changed" as const }];
  expect(specStub("", ref, { status: "stale", stale })).toContain(
    "Status: stale; the code changed since at src/a.ts:3 (changed)",
  );
});
