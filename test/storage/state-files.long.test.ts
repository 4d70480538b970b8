import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { forgetIssue } from "../../src/storage/issues.ts";
import { stateFilesIn } from "../../src/storage/state-files.ts";
import { freshDatabase } from "../support/database.ts";
import { addManyIssues } from "../support/many-issues.ts";
import { trackedIssue, trackedRepository } from "../support/tracked-issue.ts";
import { transitions } from "../support/transitions.ts";

const now = { clock: systemClock, ids: snowflakes() };

/** A database with two issues of one repository, both with their files in a data directory of its own. */
async function twoIssues() {
  const { db } = await freshDatabase();
  const home = await mkdtemp(join(tmpdir(), "relay-state-"));
  onTestFinished(async () => await rm(home, { recursive: true, force: true }));
  const { id: repositoryId } = await trackedRepository(db, "acme/shop");
  const issues = [await trackedIssue(db, repositoryId, "1"), await trackedIssue(db, repositoryId, "2")];
  const files = stateFilesIn(home, db);
  for (const issue of issues) await files.update(issue);
  const found = async () => {
    const entries = await readdir(home, { recursive: true, withFileTypes: true });
    const all = entries.filter((entry) => entry.isFile());
    return all.map(({ parentPath, name }) => relative(home, join(parentPath, name))).toSorted();
  };
  return { db, home, files, issues, found };
}

const SHORT = ["state/1.md", "state/2.md"];
const LONG = ["state/acme/blog/1.md", "state/acme/shop/1.md", "state/acme/shop/2.md"];

test("paths gain the repository's name with the second repository, and lose it with the last but one (R-LIFE-6)", async () => {
  const { db, files, found } = await twoIssues();
  expect(await found()).toEqual(SHORT);
  const second = await trackedIssue(db, (await trackedRepository(db, "acme/blog")).id, "1");
  await files.update(second);
  expect(await found()).toEqual(LONG);
  await forgetIssue(db, second, "operator", now);
  await files.update(second);
  expect(await found()).toEqual(SHORT);
});

test("files of one repository only are brought up to date by the first write of another process", async () => {
  const { db, home, issues, found } = await twoIssues();
  const second = await trackedIssue(db, (await trackedRepository(db, "acme/blog")).id, "1");
  const [first] = issues;
  await transitions(now)(db, first?.id ?? "", "pause_requested", { why: "a test" });
  await stateFilesIn(home, db).update(second);
  expect(await found()).toEqual(LONG);
  const file = await readFile(join(home, "state/acme/shop/1.md"), "utf8");
  expect(file).toMatch(/^---\nstate: paused\nrepo: acme\/shop\n/);
});

test("files follow a repository that is renamed, and no others are touched", async () => {
  const { db, home, files, issues, found } = await twoIssues();
  const second = await trackedIssue(db, (await trackedRepository(db, "acme/blog")).id, "1");
  await files.update(second);
  await writeFile(join(home, "state/acme/blog/1.md"), "as it was");
  const id = issues[0]?.repositoryId ?? "";
  await db.execute(`update repositories set external_project_id = 'other/store' where id = $1`, [id]);
  await files.renamed({ id, externalProjectId: "other/store" }, "acme/shop");
  expect(await found()).toEqual(["state/acme/blog/1.md", "state/other/store/1.md", "state/other/store/2.md"]);
  expect(await readFile(join(home, "state/other/store/1.md"), "utf8")).toContain("repo: other/store\n");
  expect(await readFile(join(home, "state/acme/blog/1.md"), "utf8")).toBe("as it was");
});

test("what people keep beside the files stays, and has nobody write all of them", async () => {
  const { db, home, issues, found } = await twoIssues();
  await mkdir(join(home, "state/mine"));
  await writeFile(join(home, "state/mine/notes.txt"), "mine");
  await rm(join(home, "state/1.md"));
  for (const issue of issues.slice(1)) await stateFilesIn(home, db).update(issue);
  expect(await found()).toEqual(["state/2.md", "state/mine/notes.txt"]);
});

test("a rebuild writes what waits or is queued, page by page, and takes all else away", async () => {
  const { db, home, files, found } = await twoIssues();
  await addManyIssues(db, { repositories: 3, issues: 1_000, messagesPerIssue: 1 });
  await writeFile(join(home, "state/9.md"), "of no issue");
  // 5 of 100 wait for people, one is stuck and one is paused.
  expect(await files.rebuild()).toBe(2 + 7 * 10);
  const paths = await found();
  expect(paths).toHaveLength(2 + 7 * 10);
  expect(paths.filter((path) => path.split("/").length !== 4)).toEqual([]);
  expect(await files.rebuild()).toBe(2 + 7 * 10);
  expect(await found()).toEqual(paths);
});
