import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { exec } from "../../lib/exec.ts";
import { openRepository } from "../git/repository.ts";
import { commitTo, plant, type Planted } from "../../../test/support/fast-import.ts";
import { TRIES_ALL } from "../../../test/support/tries.ts";
import { Explorer } from "./explorer.ts";
import { IndexStore, indexFile } from "./store.ts";

const folder = mkdtempSync(join(tmpdir(), "relay-index-"));
let count = 0;
let clone = "";
let home = "";

beforeEach(() => {
  count += 1;
  clone = join(folder, `clone-${count}`);
  home = join(folder, `home-${count}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CART: Planted = {
  path: "src/cart.ts",
  content: "import { tax } from './tax';\nexport function cartTotal() {}\n",
};
const TAX: Planted = { path: "src/tax.ts", content: "export function tax() {}\n" };

async function git(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await exec("git", ["-C", clone, ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout.toString().trim();
}

async function remove(path: string): Promise<void> {
  const tree = (await git("ls-tree", "-r", "main")).split("\n").filter((line) => !line.endsWith(`\t${path}`));
  await git("read-tree", "--empty");
  for (const line of tree) {
    const [, , name = "", ...rest] = line.split(/[ \t]/);
    await git("update-index", "--add", "--cacheinfo", `100644,${name},${rest.join(" ")}`);
  }
  const commit = await git(
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b",
    "commit-tree",
    "-m",
    "Gone",
    "-p",
    "main",
    await git("write-tree"),
  );
  await git("update-ref", "refs/heads/main", commit);
}

/** What an index says of a commit, to be compared. */
async function saidBy(explorer: Explorer, ref = "main") {
  const repository = await openRepository(clone, { ref });
  const index = await explorer.at(repository);
  await repository.close();
  return {
    files: index.files.map(({ path, objectName, bytes, skipped, role, length }) => ({
      path,
      objectName,
      bytes,
      skipped,
      role,
      length,
    })),
    tax: index.filesWith("tax"),
    defining: index.filesDefining("cartTotal"),
    importers: await index.importers("src/tax.ts"),
    commits: index.corpus.recent.commits.map(({ name, paths }) => ({ name, paths })),
  };
}

async function withExplorer<T>(where: string | null, work: (explorer: Explorer) => Promise<T>): Promise<T> {
  const explorer = await Explorer.open(join(clone, ".git"), where);
  try {
    return await work(explorer);
  } finally {
    explorer.close();
  }
}

test("words, definitions and importers of a commit", async () => {
  await plant(clone, [CART, TAX, { path: "README.md", content: "About tax.\n" }]);
  const said = await withExplorer(null, saidBy);
  expect(said.tax).toEqual(["README.md", "src/cart.ts", "src/tax.ts"]);
  expect(said.defining).toEqual(["src/cart.ts"]);
  expect(said.importers).toEqual(["src/cart.ts"]);
});

test("after each change the index says what a new one would say", async () => {
  await plant(clone, [CART, TAX]);
  const kept = await Explorer.open(join(clone, ".git"), home);
  const steps: (() => Promise<void>)[] = [
    async () => await commitTo(clone, "refs/heads/main", [{ path: "a/new.ts", content: "tax()\n" }]),
    async () => await commitTo(clone, "refs/heads/main", [{ ...TAX, content: "export function tax(rate) {}\n" }]),
    async () => await commitTo(clone, "refs/heads/main", [{ path: "src/tax", content: "between two names\n" }]),
    async () => await commitTo(clone, "refs/heads/main", [{ path: "src/cart.ts", kind: "link", content: "tax.ts" }]),
    async () => await remove("a/new.ts"),
    async () => await commitTo(clone, "refs/heads/main", [CART, { path: "ünï.ts", content: "tax\n" }]),
  ];
  for (const step of steps) {
    await step();
    expect(await saidBy(kept)).toEqual(await withExplorer(null, saidBy));
  }
  kept.close();
  expect(await withExplorer(home, saidBy)).toEqual(await withExplorer(null, saidBy));
});

test("a rewritten history is read anew", async () => {
  await plant(clone, [CART, TAX]);
  await commitTo(clone, "refs/heads/main", [{ path: "gone.ts", content: "tax\n" }]);
  await withExplorer(home, saidBy);
  await git("update-ref", "refs/heads/main", await git("rev-parse", "main~1"));
  await commitTo(clone, "refs/heads/main", [{ path: "other.ts", content: "tax\n" }]);
  expect(await withExplorer(home, saidBy)).toEqual(await withExplorer(null, saidBy));
});

test("what a blob taught is kept: its content is not asked for again", async () => {
  await plant(clone, [CART, TAX]);
  const before = await withExplorer(home, async (explorer) => {
    const repository = await openRepository(clone);
    const outline = await (await explorer.at(repository)).outline("src/cart.ts");
    await repository.close();
    return outline;
  });
  await commitTo(clone, "refs/heads/main", [{ path: "src/next.ts", content: "next\n" }]);
  const after = await withExplorer(home, async (explorer) => {
    const repository = await openRepository(clone);
    const index = await explorer.at(repository);
    // Nothing can be read any more; what is known already needs no reading.
    const packs = join(clone, ".git/objects/pack");
    for (const pack of readdirSync(packs)) rmSync(join(packs, pack));
    const outline = await index.outline("src/cart.ts");
    await repository.close();
    return outline;
  });
  expect(before.map(({ name }) => name)).toContain("cartTotal");
  expect(after).toEqual(before);
});

test("two at once on one home agree, and lose nothing", async () => {
  await plant(clone, [CART, TAX]);
  const [one, other] = await Promise.all([withExplorer(home, saidBy), withExplorer(home, saidBy)]);
  expect(one).toEqual(other);
  expect(await withExplorer(home, saidBy)).toEqual(one);
});

test("commits asked for at once are learned one after the other", async () => {
  await plant(clone, [CART, TAX]);
  await commitTo(clone, "refs/heads/main", [{ path: "src/next.ts", content: "tax\n" }]);
  const refs = ["main", "main~1", "main", "main~1"];
  const said = await withExplorer(
    home,
    async (explorer) => await Promise.all(refs.map((ref) => saidBy(explorer, ref))),
  );
  const alone = await Promise.all(refs.map((ref) => withExplorer(null, (explorer) => saidBy(explorer, ref))));
  expect(said).toEqual(alone);
});

test.runIf(TRIES_ALL)("many small updates are joined, without what no commit has any more", async () => {
  await plant(clone, [CART, TAX]);
  for (let change = 0; change < 60; change += 1) {
    await commitTo(clone, "refs/heads/main", [{ path: "src/tax.ts", content: `export function tax${change}() {}\n` }]);
    await withExplorer(home, saidBy);
  }
  const size = () =>
    Math.max(...readdirSync(join(home, "index")).map((file) => statSync(join(home, "index", file)).size));
  expect(size()).toBeLessThan(400_000);
  expect(await withExplorer(home, saidBy)).toEqual(await withExplorer(null, saidBy));
});

describe("a large repository, read in a thread of its own", () => {
  const FILES = 1_200;
  const many = Array.from({ length: FILES }, (_, at) => ({
    path: `many/file${at}.ts`,
    content: `export function made${at}() { return tax; }\n`,
  }));
  const threaded = async <T>(where: string | null, work: (explorer: Explorer) => Promise<T>): Promise<T> => {
    const explorer = await Explorer.open(join(clone, ".git"), where, { threadFrom: 1_000 });
    try {
      return await work(explorer);
    } finally {
      explorer.close();
    }
  };
  beforeEach(async () => await plant(clone, [CART, TAX, ...many]));

  test("the index says what one that was read in place says, then and later", async () => {
    let threads = 0;
    const begun = () => {
      threads += 1;
    };
    process.on("worker", begun);
    onTestFinished(() => void process.off("worker", begun));
    const inPlace = await withExplorer(null, saidBy);
    expect(threads).toBe(0);
    expect(await threaded(null, saidBy)).toEqual(inPlace);
    expect(await threaded(home, saidBy)).toEqual(inPlace);
    expect(threads).toBe(2);
    // What the thread has stored is all that another process needs.
    expect(await threaded(home, saidBy)).toEqual(inPlace);
    expect(threads).toBe(2);
    await commitTo(clone, "refs/heads/main", [{ path: "a/new.ts", content: "tax()\n" }]);
    expect(await threaded(home, saidBy)).toEqual(await withExplorer(null, saidBy));
  });

  test.each([
    ["a thread", 1_000],
    ["place", 10_000],
  ])("what was interrupted in %s stores no tree, ends git, and is read on from", async (_, threadFrom) => {
    const repository = await openRepository(clone);
    const explorer = await Explorer.open(join(clone, ".git"), home, { threadFrom });
    const stop = new AbortController();
    const seen: string[] = [];
    const progress = (done: number, total: number) => {
      seen.push(`${done} of ${total}`);
      stop.abort(new Error("enough"));
    };
    await expect(explorer.at(repository, { progress, signal: stop.signal })).rejects.toThrow("enough");
    expect(seen[0]).toBe(`500 of ${FILES + 2}`);
    expect(await gitOf(clone)).toEqual([]);
    const store = await IndexStore.open(indexFile(join(clone, ".git"), home));
    expect(store.latestTree()).toBe(null);
    store.close();
    // The same explorer, and a new one, know all.
    await repository.close();
    expect(await saidBy(explorer)).toEqual(await withExplorer(null, saidBy));
    explorer.close();
    expect(await withExplorer(home, saidBy)).toEqual(await withExplorer(null, saidBy));
  });

  test("closing ends what is being read, also when the thread has read all", async () => {
    const repository = await openRepository(clone);
    const explorer = await Explorer.open(join(clone, ".git"), home, { threadFrom: 1_000 });
    const progress = () => {
      // Meanwhile the thread reads on.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
      explorer.close();
    };
    const reading = explorer.at(repository, { progress });
    await expect(reading).rejects.toThrow(/was closed/);
    expect(await gitOf(clone)).toEqual([]);
    const store = await IndexStore.open(indexFile(join(clone, ".git"), home));
    expect(store.latestTree()).toBe(null);
    store.close();
    await repository.close();
  });
});

/** Processes of git that work on a repository. */
async function gitOf(directory: string): Promise<string[]> {
  const { stdout } = await exec("ps", ["-eo", "args"]);
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("git ") && line.includes(`--git-dir=${directory}/`));
}
