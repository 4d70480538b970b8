import { mkdtemp, rm } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { type IndexedRepository, indexedRepository } from "../support/indexed-repository.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";
import { localSpecStore } from "../../src/adapters/spec-stores/local.ts";
import { type Repository, openRepository } from "../../src/code/git/repository.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { listAudit } from "../../src/storage/audit.ts";
import type { Database } from "../../src/storage/db.ts";
import { getRepository } from "../../src/storage/repositories.ts";
import { addSpecVersion, latestSpec, statusOf } from "../../src/storage/specs.ts";
import { checkDrift, driftOf } from "../../src/specification/drift.ts";

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
const text = (lines: readonly string[]) => `${lines.join("\n")}\n`;

const SPEC = `# Spec: Drift

## TL;DR

- The first (\`src/a.ts:2-3\`), the second (\`src/a.ts:15\`), another file (\`src/b.ts:1\`).

## Implementation Plan

| # | Task | Touch Points | Done When | Blocked By |
|---|---|---|---|---|
| 1 | Change it | \`src/c.ts\`, \`src/new.ts\` (new) | it is changed | - |
`;

/** The second commit of a repository whose first one was cited. */
const AFTER: Record<string, [Record<string, string>, { location: string; what: string }[]]> = {
  "nothing that is cited": [{ "src/other.ts": "x\n" }, []],
  "lines between those that are cited": [{ "src/a.ts": text(LINES.toSpliced(8, 1, "changed")) }, []],
  "what stands above": [
    { "src/a.ts": text(["new", ...LINES]) },
    [
      { location: "src/a.ts:2-3", what: "moved" },
      { location: "src/a.ts:15", what: "moved" },
    ],
  ],
  "one of several lines": [
    { "src/a.ts": text(LINES.toSpliced(2, 1, "changed")) },
    [{ location: "src/a.ts:2-3", what: "changed" }],
  ],
  "the middle of several lines": [
    { "src/a.ts": text(LINES.toSpliced(2, 0, "inserted")) },
    [
      { location: "src/a.ts:2-3", what: "changed" },
      { location: "src/a.ts:15", what: "moved" },
    ],
  ],
  "the order of parts": [
    { "src/a.ts": text([...LINES.slice(5), ...LINES.slice(0, 5)]) },
    [
      { location: "src/a.ts:2-3", what: "moved" },
      { location: "src/a.ts:15", what: "moved" },
    ],
  ],
};

let made: IndexedRepository | undefined;
let opened: Repository[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "relay-drift-"));
});

afterEach(async () => {
  for (const code of opened) await code.close();
  opened = [];
  await made?.remove();
  await rm(folder, { recursive: true, force: true });
});

const FIRST = { "src/a.ts": text(LINES), "src/b.ts": "one\n", "src/c.ts": "c\n" };

async function commits(...after: Record<string, string>[]): Promise<Repository[]> {
  const planned = [FIRST, ...after].map((files) => ({
    files: Object.entries(files).map(([path, content]) => ({ path, content })),
  }));
  made = await indexedRepository(planned);
  for (let n = planned.length - 1; n >= 0; n -= 1) {
    opened.push(await openRepository(made.directory, { ref: `main~${n}` }));
  }
  return opened;
}

/** A commit on top that deletes files. */
async function without(...paths: string[]): Promise<Repository> {
  const directory = made?.directory ?? "";
  const git = (...command: string[]) => execFileSync("git", command, { cwd: directory, encoding: "utf8" }).trim();
  const removals = paths.map((path) => `D "${path}"\n`).join("");
  const from = git("rev-parse", "main");
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: directory,
    input: `commit refs/heads/main\ncommitter A <a@example.org> 1767225700 +0000\ndata 4\nGone\nfrom ${from}\n${removals}\n`,
  });
  const code = await openRepository(directory);
  opened.push(code);
  return code;
}

test.each(Object.entries(AFTER))("a commit that changes %s", async (_, [files, drifted]) => {
  const [before, after] = await commits(files);
  if (before === undefined || after === undefined) throw new Error("no commits");
  expect(await driftOf(SPEC, before.commit, after)).toEqual(drifted);
});

test("files that are gone, cited or to be touched", async () => {
  const [before] = await commits();
  const after = await without("src/b.ts", "src/c.ts");
  expect(await driftOf(SPEC, before?.commit ?? null, after)).toEqual([
    { location: "src/b.ts:1", what: "deleted" },
    { location: "src/c.ts", what: "deleted" },
  ]);
});

test("a commit that the repository has lost tells nothing", async () => {
  const [code] = await commits();
  if (code === undefined) throw new Error("no commit");
  expect(await driftOf(SPEC, "0".repeat(40), code)).toEqual([]);
  expect(await driftOf(SPEC, null, code)).toEqual([]);
});

async function specified(db: Database, commit: string) {
  const repository = await trackedRepository(db);
  const issue = await trackedIssue(db, repository.id);
  const specStore = localSpecStore({ root: join(folder, "specs"), clock: systemClock });
  const result = await specStore.write({ ...issue, issueId: issue.id }, SPEC, null);
  if (result.kind !== "written") throw new Error(result.kind);
  const now = { clock: systemClock, ids: snowflakes() };
  const given = { complexity: "L0" as const, complexityReason: "", validationStatus: "valid" as const, summary: [] };
  const read = { text: "", messages: {} };
  const version = { ...given, content: SPEC, changelog: "", metadata: {}, ref: result.ref, commit, read };
  await addSpecVersion(db, issue.id, version, now);
  let fetches = 0;
  const look = async (code: Repository, files: string[] | null = null) =>
    await checkDrift(
      { ...(await getRepository(db, repository.id)), cloneSource: folder },
      {
        ...{ db, ...now, log: silentLog, specStore },
        withCode: async (_, work) => {
          fetches += 1;
          return await work(code);
        },
      },
      files,
    );
  return { issue, look, fetches: () => fetches };
}

test("a spec is stale once the default branch changed what it cites, and no longer when it is as it was (R-SPEC-15)", async () => {
  const { db } = await freshDatabase();
  const changed = text(LINES.toSpliced(14, 1, "changed"));
  const [first, second, third] = await commits({ "src/a.ts": changed }, { "src/a.ts": text(LINES) });
  if (first === undefined || second === undefined || third === undefined) throw new Error("no commits");
  const { issue, look, fetches } = await specified(db, first.commit);
  const status = async () => {
    const version = await latestSpec(db, issue.id);
    return version && statusOf(version);
  };
  expect(await look(first)).toEqual([]);
  expect(await status()).toBe("draft");
  expect(await look(second)).toEqual([issue.id]);
  expect(await look(second)).toEqual([]);
  expect(await status()).toBe("stale");
  expect((await latestSpec(db, issue.id))?.staleCitations).toEqual([{ location: "src/a.ts:15", what: "changed" }]);
  expect(await look(third)).toEqual([issue.id]);
  expect(await status()).toBe("draft");
  expect(fetches()).toBe(4);
  const told = (await listAudit(db, issue.id)).map(({ what }) => what).filter((what) => what.startsWith("spec."));
  expect(told).toEqual(["spec.stale", "spec.true_again"]);
});

test("issues that are over are not looked at, and a repository without open specs is not fetched", async () => {
  const { db } = await freshDatabase();
  const [first, second] = await commits({ "src/b.ts": "two\n" });
  if (first === undefined || second === undefined) throw new Error("no commits");
  const { issue, look, fetches } = await specified(db, first.commit);
  await db.execute(`update issues set state = 'done' where id = $1`, [issue.id]);
  expect(await look(second)).toEqual([]);
  expect(fetches()).toBe(0);
});

test("after a push only specs that name one of its files are looked at; without such a spec nothing is fetched", async () => {
  const { db } = await freshDatabase();
  const [first, second] = await commits({ "src/b.ts": "two\n" });
  if (first === undefined || second === undefined) throw new Error("no commits");
  const { issue, look, fetches } = await specified(db, first.commit);
  expect(await look(second, ["README.md", "src/other.ts"])).toEqual([]);
  expect(fetches()).toBe(0);
  // Several processes may look at once.
  const changed = await Promise.all([look(second, ["src/b.ts"]), look(second, null)]);
  expect(changed.flat()).toEqual([issue.id]);
  expect((await latestSpec(db, issue.id))?.staleCitations).toEqual([{ location: "src/b.ts:1", what: "changed" }]);
  expect((await listAudit(db, issue.id)).filter(({ what }) => what === "spec.stale")).toHaveLength(1);
});
