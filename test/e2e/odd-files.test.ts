import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRepository } from "../../src/code/git/repository.ts";
import { gitAt, plant, rawBlob, rawCommit, rawTree, type Planted } from "../support/fast-import.ts";
import { NEEDLE, ground } from "./odd-repository-fixture.ts";

const { folder, explored, found, foundWithPeak } = ground();

async function planted(name: string, files: Iterable<Planted>): Promise<string> {
  const directory = join(folder, name);
  await plant(directory, files);
  return directory;
}

function* andNeedle(count: number, each: (at: number) => Planted): Generator<Planted> {
  for (let at = 0; at < count; at += 1) yield each(at);
  yield NEEDLE;
}

/** Node itself, the program and git's answers; far from what the contents would take. */
const MOST_MIB = 900;

describe("much of everything", () => {
  test.each<[string, () => Iterable<Planted>]>([
    [
      "a file of a million lines",
      () => [
        NEEDLE,
        { path: "big.ts", content: Array.from({ length: 1_000_000 }, (_, at) => `needle value ${at}`).join("\n") },
      ],
    ],
    ["a file of one line of 10 MB", () => [NEEDLE, { path: "line.ts", content: "findNeedle ".repeat(900_000) }]],
    [
      "200 MB that is no text",
      () => andNeedle(20, (at) => ({ path: `a${at}.dat`, content: Buffer.alloc(10_000_000) })),
    ],
    [
      "30,000 generated files",
      () => andNeedle(30_000, (at) => ({ path: `dist/g${at % 300}/f${at}.js`, content: `function needle${at}(){}\n` })),
    ],
  ])("%s", async (name, files) => {
    const { paths, peak } = await foundWithPeak(await planted(name.replaceAll(" ", "-"), files()));
    expect(paths[0]).toBe("src/needle.ts");
    expect(peak).toBeLessThan(MOST_MIB);
  });

  test("50,000 files in one folder", async () => {
    const directory = await planted("many", [NEEDLE]);
    const blobs = await Promise.all(
      [0, 1, 2, 3].map((at) => rawBlob(directory, `export const needle${at} = ${at};\n`)),
    );
    const names = Array.from({ length: 50_000 }, (_, at) => `f${String(at).padStart(5, "0")}.ts`);
    const many = await rawTree(
      directory,
      names.map((name, at) => ({ mode: "100644", name, object: blobs[at % 4] ?? "" })),
    );
    const src = await gitAt(directory, "rev-parse", "main:src");
    const tree = await rawTree(directory, [
      { mode: "40000", name: "many", object: many },
      { mode: "40000", name: "src", object: src },
    ]);
    await rawCommit(directory, "refs/heads/main", tree);
    const { paths, peak } = await foundWithPeak(directory);
    expect(paths[0]).toBe("src/needle.ts");
    expect(peak).toBeLessThan(MOST_MIB);
  });

  test("folders 500 deep and a path of 4,000 bytes", async () => {
    const deep = `${"d/".repeat(500)}findNeedle.ts`;
    const long = `${Array.from({ length: 20 }, () => "n".repeat(199)).join("/")}.ts`;
    const content = "export const findNeedle = 1;\n";
    const directory = await planted("deep", [
      { path: deep, content },
      { path: long, content },
    ]);
    expect((await found(directory)).toSorted()).toEqual([deep, long]);
    const repository = await openRepository(directory);
    expect(await repository.readFile(long)).toBe(content);
    expect(await repository.readFile(deep)).toBe(content);
    await repository.close();
  });
});

describe("names", () => {
  const NAMES = [
    "new\nline.ts",
    "tab\t.ts",
    'quo"te.ts',
    "back\\slash.ts",
    "-dash.ts",
    "--all",
    "caf\u00e9.ts",
    "cafe\u0301.ts",
    "Case.ts",
    "case.ts",
    " ",
    "\u001b[31mred.ts",
    "a b/c d.ts",
    ":(top)x.ts",
    ":!x.ts",
    "*.ts",
    "C:/x.ts",
    "con.ts",
    "dot.ts.",
    ".gitignore",
    "src/\u202egnp.ts",
    "日本語/привет.ts",
  ];

  test("that mean something to a shell, to git or to a file system are only names", async () => {
    const directory = await planted(
      "names",
      NAMES.map((path, at) => ({ path, content: `export function findNeedle() {} // ${at}\n` })),
    );
    expect((await found(directory, "findNeedle", "--limit", "200")).toSorted()).toEqual(NAMES.toSorted());
    const repository = await openRepository(directory);
    for (const [at, path] of NAMES.entries()) {
      expect(await repository.readFile(path)).toContain(`// ${at}\n`);
      expect(await repository.exists(path)).toBe(true);
      expect(await repository.log(path)).toHaveLength(1);
    }
    await repository.close();
  });

  test("that are no UTF-8 are shown with replacement characters, and their text is found", async () => {
    const directory = await planted("bytes", [
      NEEDLE,
      { path: Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x74, 0x73]), content: "findNeedle one\n" },
      { path: Buffer.from([0x61, 0xff, 0xfd, 0x2e, 0x74, 0x73]), content: "findNeedle two\n" },
    ]);
    const paths = await found(directory);
    expect(paths).toContain("src/needle.ts");
    expect(paths).toContain("a\ufffd\ufffd.ts");
  });

  test("that lead out of the tree or into .git are no files of the repository", async () => {
    const directory = await planted("outside", [NEEDLE]);
    const blob = await rawBlob(directory, "export function findNeedle() {}\n");
    const inner = await rawTree(directory, [{ mode: "100644", name: "config", object: blob }]);
    const tree = await rawTree(directory, [
      { mode: "40000", name: "..", object: inner },
      { mode: "40000", name: ".git", object: inner },
      { mode: "40000", name: ".GIT", object: inner },
      { mode: "100644", name: "good.ts", object: blob },
    ]);
    await rawCommit(directory, "refs/heads/main", tree);
    expect(await found(directory)).toEqual(["good.ts"]);
    const repository = await openRepository(directory);
    expect((await repository.files()).map(({ path }) => path)).toEqual(["good.ts"]);
    for await (const { path } of repository.search("findNeedle")) expect(path).toBe("good.ts");
    await expect(repository.readFile(".git/config")).rejects.toMatchObject({ code: "forbidden" });
    await expect(repository.readFile("../config")).rejects.toMatchObject({ code: "forbidden" });
    await repository.close();
  });
});

describe("contents", () => {
  test("links, submodules and pointers are never followed", async () => {
    const directory = await planted("links", [
      NEEDLE,
      { path: "module", kind: "submodule", content: "1".repeat(40) },
      { path: "loop", kind: "link", content: "loop" },
      { path: "there", kind: "link", content: "back" },
      { path: "back", kind: "link", content: "there" },
      { path: "findNeedle.ts", kind: "link", content: "/etc/passwd" },
      { path: "up.ts", kind: "link", content: "../../findNeedle" },
      {
        path: "data/model.ts",
        content:
          "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22e\nsize 12345\n",
      },
    ]);
    const { answer } = await explored(directory, "findNeedle root passwd module loop git-lfs");
    expect(answer?.files[0]?.path).toBe("src/needle.ts");
    // By name they may be found, by what is behind them never.
    for (const { lines, reasons } of answer?.files.slice(1) ?? []) {
      expect({ lines, reasons }).toEqual({ lines: [], reasons: [expect.stringMatching(/^its path says /)] });
    }
    expect(answer?.skipped).toEqual([
      { reason: "link", files: 5, examples: ["back", "findNeedle.ts", "loop"] },
      { reason: "pointer", files: 1, examples: ["data/model.ts"] },
      { reason: "submodule", files: 1, examples: ["module"] },
    ]);
  });

  test("in any encoding do no harm, and what is UTF-8 is found", async () => {
    const text = "function findNeedle() {\n  return 1;\n}\n";
    const directory = await planted("encodings", [
      { path: "empty.ts" },
      { path: "crlf.ts", content: text.replaceAll("\n", "\r\n") },
      { path: "cr.ts", content: text.replaceAll("\n", "\r") },
      { path: "bom.ts", content: `\ufeff${text}` },
      { path: "utf16le.ts", content: Buffer.from(`\ufeff${text}`, "utf16le") },
      { path: "utf16be.ts", content: Buffer.from(`\ufeff${text}`, "utf16le").swap16() },
      { path: "latin1.ts", content: Buffer.from(`// caf\u00e9\n${text}`, "latin1") },
      { path: "broken.ts", content: Buffer.concat([Buffer.from([0xff, 0xc3, 0x28, 0xf0, 0x0a]), Buffer.from(text)]) },
    ]);
    const paths = await found(directory);
    expect(paths.toSorted()).toEqual(expect.arrayContaining(["bom.ts", "broken.ts", "cr.ts", "crlf.ts", "latin1.ts"]));
    expect(paths).not.toContain("empty.ts");
    const { answer } = await explored(directory);
    expect(answer?.skipped).toEqual([{ reason: "binary", files: 2, examples: ["utf16be.ts", "utf16le.ts"] }]);
  });

  test("of an empty tree, or of empty files only, are nothing to find", async () => {
    expect(await found(await planted("nothing", []))).toEqual([]);
    expect(await found(await planted("empties", [{ path: "a.ts" }, { path: "b.ts" }]))).toEqual([]);
    const made = await planted("made", []);
    expect(await gitAt(made, "ls-tree", "main")).toBe("");
  });
});
