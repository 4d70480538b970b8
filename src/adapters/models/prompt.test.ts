import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, property, string } from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadPrompt } from "./prompt.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "relay-prompts-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function written(content: string) {
  writeFileSync(join(folder, "planner.md"), content);
  return loadPrompt("planner", folder);
}

const failure = (message: RegExp) =>
  expect.objectContaining({ code: "internal", message: expect.stringMatching(message) });

describe("a prompt", () => {
  test("is filled in all places of a slot", () => {
    const prompt = written("---\nslots: who, what\n---\n\n{{who}} does {{what}}.\n{{who}} waits.\n");
    expect(prompt.slots).toEqual(["who", "what"]);
    expect(prompt.fill({ who: "Ada", what: "it" })).toBe("Ada does it.\nAda waits.");
  });

  test("needs no front matter where it has no slots", () => {
    expect(written("Look first.\n").fill({})).toBe("Look first.");
  });

  test("is known by the hash of its file, front matter and all", () => {
    const content = "---\nslots: a\n---\n{{a}}é\n";
    expect(written(content).hash).toBe(createHash("sha256").update(content).digest("hex"));
  });

  test("is read once", () => {
    const first = written("one");
    expect(written("two")).toBe(first);
  });

  test("reads the same with the line ends of Windows", () => {
    expect(written("---\r\nslots: a\r\n---\r\n{{a}}\r\nb").fill({ a: "x" })).toBe("x\nb");
  });

  test("takes no value for a slot, a pattern or a place in an object", () => {
    const prompt = written("---\nslots: a, b\n---\n[{{a}}|{{b}}]");
    assert(
      property(string(), string(), (a, b) => {
        expect(prompt.fill({ a, b })).toBe(`[${a}|${b}]`);
      }),
    );
    expect(prompt.fill({ a: "{{b}}", b: "$& $1 {{a}}" })).toBe("[{{b}}|$& $1 {{a}}]");
  });

  test("is not filled by halves", () => {
    const prompt = written("---\nslots: a, constructor\n---\n{{a}}{{constructor}}");
    expect(() => prompt.fill({ a: "x" })).toThrow(failure(/no value for constructor/));
    expect(() => prompt.fill({ a: "x", constructor: "y", c: "z" })).toThrow(failure(/no slot c/));
  });
});

describe("a prompt file does not load", () => {
  test.each([
    ["with a slot that is not declared", "---\nslots: a\n---\n{{a}}{{b}}", /not the declared ones: b/],
    ["with a declared slot that it does not have", "---\nslots: a, b\n---\n{{a}}", /not the declared ones: b/],
    ["with slots and no declaration", "{{a}}", /not the declared ones: a/],
    ["with a slot spelt wrongly", "---\nslots: a\n---\n{{a}} {{ a }}", /no slot: \{\{ a \}\}/],
    ["with a slot left open", "---\nslots: a\n---\n{{a}} {{a", /no slot/],
    ["with other front matter", "---\nname: x\n---\nText", /front matter/],
  ])("%s", (_, content, message) => {
    expect(() => written(content)).toThrow(failure(message));
  });

  test("that is not there", () => {
    expect(() => loadPrompt("spec", folder)).toThrow(failure(/spec\.md cannot be read/));
  });
});

test("every prompt that Relay ships loads", () => {
  const shipped = join(import.meta.dirname, "../../../prompts");
  const files = existsSync(shipped) ? readdirSync(shipped) : [];
  const names = (["planner", "explorer", "rerank", "spec", "triage", "fix-plan", "worker", "answer"] as const).filter(
    (name) => files.includes(`${name}.md`),
  );
  for (const name of names) expect(loadPrompt(name).hash).toMatch(/^[0-9a-f]{64}$/);
  expect(files.length).toBe(names.length);
});
