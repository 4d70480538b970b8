import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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

const THREE = `---
number: 21
title: Totals are rounded down
author: mia
maintainers: [mia]
---
Change \`src/invoice/money.js\`, \`src/invoice/line.js\` and \`src/invoice/invoice.js\`: totals are rounded down.
Expected: they are rounded half up.
`;

/** An issue with a plan of three files and a test, and what carries a change of these files out: as a patch, by path and text. */
async function changedDesk(files: Readonly<Record<string, string>>) {
  const made = await newDesk();
  const file = join(made.folder, "issue.md");
  const patch = join(made.folder, "change.patch");
  await writeFile(file, THREE);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(made.repository, path)), { recursive: true });
    const before = await readFile(join(made.repository, path), "utf8").catch(() => "");
    await writeFile(join(made.repository, path), before + text);
  }
  await git(made, "add", "--all", "--force");
  await writeFile(patch, `${await git(made, "diff", "--cached", "--binary")}\n`);
  await git(made, "reset", "--quiet", "--hard");
  const args = ["work", file, "--repo", made.repository, "--patch", patch, "--sandbox", "none", "--yes"];
  return { made, work: async (...more: string[]) => await relay(made, [...args, ...more]) };
}

const PLANNED = ["src/invoice/money.js", "src/invoice/line.js", "src/invoice/invoice.js"];

test("a plan of few files and a diff of 37: the request begins with what is beside the plan, and is a draft of high risk (R-WORK-11)", async () => {
  const beside = Array.from({ length: 28 }, (_, n) => `src/more/new${n}.js`);
  const changed = [...PLANNED, ...beside, "AGENTS.md", ".github/CODEOWNERS", "scripts/lint.js", "Makefile"];
  const files = [...changed, "src/http/auth.js", "docs/export.md"].map((path) => [path, "\n"]);
  const { made, work } = await changedDesk(Object.fromEntries(files));
  const worked = await work("--json");
  expect(worked).toMatchObject({ code: 0 });
  const { pull_request: request } = JSON.parse(worked.out);
  expect(request).toMatchObject({ draft: true, risk: "HIGH" });
  expect(request.body.split("\n").slice(0, 8)).toEqual([
    "## Look at this first",
    "",
    "- **Much more than the plan says: 37 files and 37 lines, for 4 planned files**",
    "- **Instructions for coding agents**: `AGENTS.md`",
    "- **Decides who must review changes**: `.github/CODEOWNERS`",
    "- **Defines checks: commands, or settings of tests and linters**: `Makefile`, `scripts/lint.js`",
    expect.stringMatching(
      /^- \*\*Changed, but not in the plan\*\*: `docs\/export.md`, `src\/http\/auth.js`, .*new27.*$/,
    ),
    "",
  ]);
  expect(request.body).toContain("**Risk:** high — Much more than the plan says: 37 files");
  const told = await relay(made, ["status", "21"]);
  expect(told.out).toMatch(
    /pull request .*\n\s+Much more than the plan says: 37 files.*\n\s+Instructions for coding agents: /,
  );
  const [shown] = JSON.parse((await relay(made, ["status", "21", "--json"])).out).issues;
  expect(shown.pull_request).toMatchObject({ risk: "HIGH", concerns: request.concerns });
  expect(request.concerns).toContainEqual({
    kind: "owners",
    path: ".github/CODEOWNERS",
    agreed: false,
    names: [],
    numbers: {},
  });
});

test("a change of unplanned files alone becomes a draft that says so first (R-WORK-11)", async () => {
  const { work } = await changedDesk({ "docs/export.md": "\nTotals are rounded half up.\n" });
  const worked = await work("--json");
  expect(JSON.parse(worked.out)).toMatchObject({
    run: { iterations: 2 },
    pull_request: {
      draft: true,
      risk: "HIGH",
      body: expect.stringMatching(
        /^## Look at this first\n\n- \*\*None of the planned files was changed\*\*\n- \*\*Changed, but not in the plan\*\*: `docs\/export.md`\n\n## What changed\n/,
      ),
    },
  });
});

test("a fault in .relay.yml is told, and its valid keys hold", async () => {
  const { made, work } = await patchedDesk();
  await writeFile(
    join(made.repository, ".relay.yml"),
    'conventions:\n  setup_commands: make\n  test_commands: [make sure]\n  type_check_command: ""\n',
  );
  await git(made, "add", ".relay.yml");
  await git(made, "-c", "user.name=mia", "-c", "user.email=mia@example.org", "commit", "--quiet", "-m", "settings");
  const { out, err } = await work("--yes");
  expect(err).toMatch(/^relay: \.relay\.yml: conventions\.setup_commands: .+$/m);
  expect(err).not.toContain("type_check_command");
  expect(out).toContain("Tests\n  make sure\n");
});
