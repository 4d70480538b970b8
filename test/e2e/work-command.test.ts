import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exec } from "../../src/lib/exec.ts";
import { type Desk, newDesk, relay, withDatabaseOf } from "./cli-harness.ts";

const ISSUE = `---
number: 7
title: The notes promise nothing
author: mia
maintainers: [mia]
---
NOTES.md should say that totals are rounded. Expected: a file NOTES.md with one line.
`;

async function git(desk: Desk, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await exec("git", ["-C", desk.repository, ...args]);
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.toString("utf8").trim();
}

/** An issue file, a patch for it, and what carries it out. */
async function patchedDesk() {
  const made = await newDesk();
  const file = join(made.folder, "issue.md");
  const patch = join(made.folder, "change.patch");
  await writeFile(file, ISSUE);
  await writeFile(
    patch,
    "diff --git a/NOTES.md b/NOTES.md\nnew file mode 100644\n--- /dev/null\n+++ b/NOTES.md\n@@ -0,0 +1 @@\n+Totals are rounded.\n",
  );
  const args = ["work", file, "--repo", made.repository, "--patch", patch, "--sandbox", "none"];
  return { made, file, work: async (...more: string[]) => await relay(made, [...args, ...more]) };
}

test("a local issue goes from a dry run to its request, takes a comment in review, and ends with the merge (R-WORK-15)", async () => {
  const { made, file, work } = await patchedDesk();
  // Nothing is kept of a dry run.
  expect(await work("--dry-run")).toMatchObject({ code: 0, out: expect.stringContaining("Nothing was changed") });
  expect(await relay(made, ["status", "--json"])).toMatchObject({ out: expect.stringContaining('"issues":[]') });

  const worked = await work("--yes");
  expect(worked).toMatchObject({ code: 0, out: expect.stringMatching(/Branch \S+ \(/) });
  const branch = /Branch (\S+) \(/.exec(worked.out)?.[1] ?? "";
  expect(await git(made, "show", `${branch}:NOTES.md`)).toBe("Totals are rounded.");

  const again = await work();
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("merge its branch") });
  await appendFile(file, "\n## Comment by @mia at 2030-01-01T00:00:00Z\n\nPlease name the file NOTES.txt.\n");
  // The patch has nothing more to give; what counts is that the comment was taken up at the request.
  await work("--yes");
  const log = await relay(made, ["log", "7", "--json"]);
  expect(log.out).toContain("review.taken_up");

  await git(made, "merge", "--quiet", "--squash", branch);
  await git(made, "-c", "user.name=mia", "-c", "user.email=mia@example.org", "commit", "--quiet", "-m", "notes");
  expect(await work()).toMatchObject({ code: 0, out: expect.stringMatching(/is done: its branch \S+ is in/) });
  const status = await relay(made, ["status", "7", "--json"]);
  expect(JSON.parse(status.out)).toMatchObject({ issues: [{ state: "done", pull_request: { state: "merged" } }] });
});

test("an edit before the yes is planned anew and carried out by the same command; a branch that is deleted ends it", async () => {
  const { made, file, work } = await patchedDesk();
  expect(await work()).toMatchObject({ code: 1 });
  const planned = await relay(made, ["work", file, "--repo", made.repository, "--agent", "script", "--yes"]);
  expect(planned).toMatchObject({ code: 2, err: expect.stringMatching(/--patch FILE, or set work\.patch/) });
  await writeFile(file, (await readFile(file, "utf8")).replace("one line.", "one line, and a title."));
  const worked = await work("--yes");
  expect(worked).toMatchObject({ code: 0, out: expect.stringMatching(/Branch \S+ \(/) });
  const branch = /Branch (\S+) \(/.exec(worked.out)?.[1] ?? "";
  await git(made, "branch", "--quiet", "-D", branch);
  expect(await work()).toMatchObject({ code: 1, err: expect.stringContaining("is closed") });
});

test("work waits for what the local tracker shows in its midst, as on a slow machine, and goes on", async () => {
  const { made, work } = await patchedDesk();
  await relay(made, ["migrate"]);
  // Until the work begins, no look at the tracker holds: before each comment it is looked again.
  await withDatabaseOf(made, async (db) => {
    await db.execute(
      `create function forget_looks() returns trigger language plpgsql as '
      begin
        if (select state from issues where id = new.issue_id) <> ''in_progress'' then
          new.looked_at := now() - interval ''1 minute'';
        end if;
        return new;
      end'`,
      [],
    );
    await db.execute(
      `create trigger forget_looks before insert or update on thread_fetches
      for each row execute function forget_looks()`,
      [],
    );
  });
  expect(await work("--yes")).toMatchObject({ code: 0, out: expect.stringMatching(/Branch \S+ \(/) });
});
