import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexedRepository } from "../../../test/support/indexed-repository.ts";
import type { IndexedRepository } from "../../../test/support/indexed-repository.ts";
import { territoryOf } from "../tools/file-access.ts";
import type { FileAccess } from "../tools/file-access.ts";
import { lookUp } from "./source-lookup.ts";
import type { LookedUp } from "./source-lookup.ts";

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
  fileAccess = territoryOf(made.index, { protect: ["local/**"] });
});

afterAll(async () => await made.remove());

const at = async (location: string, note?: string): Promise<LookedUp> => await lookUp(fileAccess, { location, note });

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
