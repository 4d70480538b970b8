import { expect, test } from "vitest";
import { codeOwnersIn } from "./repository-context.ts";

const code = (files: Record<string, string | Error>) => ({
  exists: async (path: string) => await Promise.resolve(path in files),
  readFile: async (path: string) => {
    const text = files[path] ?? null;
    return text instanceof Error ? await Promise.reject(text) : await Promise.resolve(text);
  },
});

test("owners come from the file that the tracker reads, pattern by pattern", async () => {
  const both = { CODEOWNERS: "* @root\n", ".github/CODEOWNERS": "* @all\n/docs/ @writers # they know\n* @later\n" };
  expect(await codeOwnersIn(code(both), "github")).toEqual({ "*": ["@later"], "/docs/": ["@writers"] });
  expect(await codeOwnersIn(code(both), "gitlab")).toEqual({ "*": ["@root"] });
});

test("sections of GitLab add up, and what is excluded has no owners by its pattern", async () => {
  const text = "* @a\n[Docs] @writers\n*\n!*.md\n";
  expect(await codeOwnersIn(code({ CODEOWNERS: text }), "gitlab")).toEqual({ "*": ["@a", "@writers"] });
});

test("without a file, or with one that is no text, nobody owns anything", async () => {
  expect(await codeOwnersIn(code({}), "local")).toEqual({});
  expect(await codeOwnersIn(code({ CODEOWNERS: new Error("binary") }), "local")).toEqual({});
});
