import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexedRepository, type IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { createFileAccess, type FileAccess } from "../tools/file-access.ts";
import { citationsIn, readLocation, verifySource, type SourceCheck } from "./source-lookup.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

let made: IndexedRepository;
let fileAccess: FileAccess;

beforeAll(async () => {
  made = await indexedRepository([
    {
      files: [
        { path: "src/cart.ts", content: "export function total(items) {\n  return items.length;\n}\n\n\n" },
        { path: "src/long.ts", content: "const line = 'some words';\n".repeat(200) },
        { path: "src/wide.ts", content: `${"x = 1; ".repeat(200)}\n`.repeat(60) },
        { path: "config.txt", content: `token = "${TOKEN}"\nname\u202e = 1\u200b\n` },
        { path: ".env", content: "PASSWORD=hunter2hunter2\n" },
        { path: "local/notes.md", content: "private\n" },
        { path: "logo.png", content: Buffer.from([0x89, 0x50, 0, 0, 1, 2]) },
        { path: "latest", content: "src/cart.ts", mode: "120000" },
        { path: "od\u200bd.ts", content: "export {};\n" },
        { path: "a b:c.ts", content: "export const spaced = 1;\n" },
      ],
    },
  ]);
  fileAccess = createFileAccess(made.index, { protect: ["local/**"] });
});

afterAll(async () => await made.remove());

const at = async (location: string, note?: string): Promise<SourceCheck> =>
  await verifySource(fileAccess, { location, note });

describe("a place that holds", () => {
  test.each([
    ["src/cart.ts:1-3", "src/cart.ts:1-3"],
    ["src/cart.ts:2", "src/cart.ts:2-2"],
    ["./src/cart.ts:1-2", "src/cart.ts:1-2"],
    ["`src/cart.ts:L1-L2`", "src/cart.ts:1-2"],
    [" src/cart.ts#L1-L2 ", "src/cart.ts:1-2"],
    ["a b:c.ts:1-1", "a b:c.ts:1-1"],
  ])("%s is %s", async (written, location) => {
    expect(await at(written)).toMatchObject({ kind: "holds", source: { location } });
  });

  test("comes with what the file says, and with the note of the model", async () => {
    expect(await at("src/cart.ts:1-2", " counts\nthe items\u202e ")).toEqual({
      kind: "holds",
      source: {
        location: "src/cart.ts:1-2",
        snippet: "export function total(items) {\n  return items.length;",
        note: "counts the items",
      },
    });
  });

  test("shows neither credentials nor hidden characters", async () => {
    const looked = await at("config.txt:1-2", `it is ${TOKEN}`);
    expect(JSON.stringify(looked)).not.toContain(TOKEN);
    expect(looked).toMatchObject({ source: { snippet: expect.stringMatching(/\nname = 1$/) } });
  });

  test("has a snippet of at most 4,000 characters", async () => {
    const looked = await at("src/wide.ts:1-60");
    if (looked.kind === "wrong") throw new Error(looked.dropped.why);
    expect(looked.source.snippet.length).toBeLessThanOrEqual(4_000);
    expect(looked.source.snippet.endsWith("\n…")).toBe(true);
  });
});

describe("a place that does not hold", () => {
  test.each([
    ["src/card.ts:1-2", /did you mean src\/cart\.ts/],
    ["src/cart.ts:4-6", /has 5 lines/],
    ["src/cart.ts:4-5", /blank/],
    ["src/cart.ts:3-1", /first before the last/],
    ["src/cart.ts:0-1", /from 1/],
    ["src/cart.ts", /path:start-end/],
    [":3-4", /path:start-end/],
    ["src/long.ts:1-81", /covers 81 lines/],
    ["src/cart.ts:1-999999999", /covers/],
    ["src/cart.ts:1-99999999999999999999", /path:start-end/],
    ["src:1-2", /folder/],
    ["../etc/passwd:1-2", /no path inside/],
    ["/etc/passwd:1-2", /no path inside/],
    [".git/config:1-2", /no path inside/],
    [".env:1-1", /credentials/],
    ["local/notes.md:1-1", /credentials/],
    ["latest:1-1", /symbolic link/],
    ["logo.png:1-1", /binary/],
    ["odd.ts:1-1", /cannot be shown/],
    ["", /path:start-end/],
  ])("%s is dropped, saying why", async (written, why) => {
    expect(await at(written)).toMatchObject({
      kind: "wrong",
      dropped: { location: written, why: expect.stringMatching(why) },
    });
  });

  test("is named in few characters, however much was written", async () => {
    const looked = await at(`${"x".repeat(300_000)}:1-2`);
    if (looked.kind === "holds") throw new Error("it holds");
    expect(looked.dropped.location.length).toBeLessThanOrEqual(200);
  });
});

test("80 lines are not too many", async () => {
  expect(await at("src/long.ts:1-80")).toMatchObject({ kind: "holds" });
});

describe("a location", () => {
  test.each([
    ["src/a.ts:3-9", { path: "src/a.ts", start: 3, end: 9 }],
    ["src/a.ts:3–9", { path: "src/a.ts", start: 3, end: 9 }],
    ["src/a.ts#L3-L9", { path: "src/a.ts", start: 3, end: 9 }],
    ["a:b/c.ts:7", { path: "a:b/c.ts", start: 7, end: 7 }],
    ["src/a.ts:3-9, 12-14", null],
    ["src/a.ts", null],
    ["3-9", null],
    [`${"a".repeat(2_000)}:1`, null],
  ])("%s", (written, location) => {
    expect(readLocation(written)).toEqual(location);
  });
});

describe("places that a text cites", () => {
  test("are those with lines, each once, without what stands around them", () => {
    const text =
      "It is made in `src/a.ts:3-9` (see ./b.py:7, and src/a.ts:3-9); _c/d.go#L1-L2_ and Makefile:12. Also [x](e.rs:5).";
    expect(citationsIn(text)).toEqual(["src/a.ts:3-9", "./b.py:7", "_c/d.go#L1-L2", "Makefile:12", "e.rs:5"]);
  });

  test("are not columns, ranges of three numbers, or parts of addresses", () => {
    expect(citationsIn("src/a.ts:3:9 a.ts:1-2-3 https://example.org:80/a.ts")).toEqual([]);
  });

  test("are at most 40", () => {
    expect(citationsIn(Array.from({ length: 100 }, (_, n) => `a.ts:${n}`).join(" "))).toHaveLength(40);
  });

  test.each(["a/", "a:1", ":1-", "1", "-", "#L"])("are found in a long run of %j in linear time", (piece) => {
    // Quadratic time on this many characters would end the run by its time-out.
    expect(citationsIn(piece.repeat(500_000)).length).toBeLessThanOrEqual(40);
  });
});
