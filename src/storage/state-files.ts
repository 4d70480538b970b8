import { mkdir, opendir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { stringify } from "yaml";
import { type Issue, issueName } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Db } from "./db.ts";
import { forEachPage, listIssuesById } from "./issue-lists.ts";
import { findIssueById } from "./issues.ts";
import { onlyRepository } from "./repositories.ts";

/**
 * The state files of R-LIFE-6, for people and other tools: written from the database, never read back. With several
 * repositories, paths include the repository's name.
 */
export interface StateFiles {
  /**
   * Writes the file of one issue, or removes it if it should have none, even for a forgotten issue. Leaves other files
   * alone.
   */
  update: (issue: Issue) => Promise<void>;
  /** After a repository was renamed, writes the files of its issues, and removes those under the name `before`. */
  renamed: (repository: { id: string; externalProjectId: string }, before: string) => Promise<void>;
  /** Writes the files of all issues and removes all others; returns how many there are now. */
  rebuild: () => Promise<number>;
}

const FOLDERS = ["state", "queue/pending"] as const;

export function stateFilesIn(home: string, db: Db): StateFiles {
  /** Whether paths include the repository; null before the first write. */
  let several: boolean | null = null;
  const rebuild = async () => await orIo(home, async () => await rebuildAll(home, db));
  return {
    rebuild,
    renamed: async (repository, before) =>
      await orIo(home, async () => {
        const isOne = (await onlyRepository(db)).kind === "one";
        // Also under the new name: the repository that had it before has lost it.
        for (const name of isOne ? [] : [before, repository.externalProjectId]) await clear(home, name);
        await forEachPage(db, { states: "open", repositories: [repository.id] }, null, async (issues) => {
          for (const issue of issues) await place(home, issue, { several: !isOne, forgotten: false });
          await correct(home, db, issues, !isOne);
        });
      }),
    update: async (issue) => {
      const only = await onlyRepository(db);
      const now = only.kind === "several";
      if (several !== now) {
        several = now;
        // Paths only change when a second repository arrives, or only one is left.
        if (await orIo(home, async () => await hasOtherPaths(home, now))) await rebuild();
      }
      const stored = await findIssueById(db, issue.id);
      // The path of a forgotten issue may now belong to another one.
      if (only.kind === "one" && only.id !== issue.repositoryId) return;
      await orIo(home, async () => await place(home, stored ?? issue, { several: now, forgotten: stored === null }));
    },
  };
}

async function rebuildAll(home: string, db: Db): Promise<number> {
  const several = (await onlyRepository(db)).kind === "several";
  const before = await Promise.all(FOLDERS.map(async (folder) => await entriesIn(home, folder)));
  const left = new Set(before.flatMap(({ files }) => files));
  let written = 0;
  await forEachPage(db, { states: "open", repositories: null }, null, async (issues) => {
    for (const issue of issues) {
      const path = await place(home, issue, { several, forgotten: false });
      if (path === null) continue;
      left.delete(path);
      written += 1;
    }
    await correct(home, db, issues, several);
  });
  for (const path of left) await rm(join(home, path), { force: true });
  const folders = several ? [] : before.flatMap((found) => found.folders);
  // Inner folders first; folders with other files of people stay.
  for (const folder of folders.toSorted().toReversed()) await rmdir(join(home, folder)).catch(() => {});
  return written;
}

/** Rewrites the files of issues that changed during the writing, since nothing else may update them again. */
async function correct(home: string, db: Db, written: readonly Issue[], several: boolean): Promise<void> {
  const ids = written.map(({ id }) => id);
  const now = new Map((await listIssuesById(db, ids)).map((issue) => [issue.id, issue]));
  const changed = written.filter((issue) => now.get(issue.id)?.updatedAt.getTime() !== issue.updatedAt.getTime());
  if (changed.length === 0) return;
  for (const issue of changed) {
    await place(home, now.get(issue.id) ?? issue, { several, forgotten: !now.has(issue.id) });
  }
  await correct(
    home,
    db,
    changed.flatMap(({ id }) => now.get(id) ?? []),
    several,
  );
}

/** Removes the files under a repository's name, with their folders. */
async function clear(home: string, externalProjectId: string): Promise<void> {
  for (const folder of FOLDERS) {
    const own = join(home, folder, ...foldersOf(externalProjectId));
    for (const name of await readdir(own).catch(() => [])) {
      if (name.endsWith(".md")) await rm(join(own, name), { force: true });
    }
    await rmdir(own).catch(() => {});
  }
}

/** The files and folders below a folder, as paths below `home`. */
async function entriesIn(home: string, folder: string): Promise<{ files: string[]; folders: string[] }> {
  await mkdir(join(home, folder), { recursive: true, mode: 0o700 });
  const entries = await readdir(join(home, folder), { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: relative(home, join(entry.parentPath, entry.name)) }));
  return {
    files: paths.flatMap(({ entry, path }) => (!entry.isDirectory() && path.endsWith(".md") ? [path] : [])),
    folders: paths.flatMap(({ entry, path }) => (entry.isDirectory() ? [path] : [])),
  };
}

/** Whether some file has a path for the other case: with, or without, several repositories. */
async function hasOtherPaths(home: string, several: boolean): Promise<boolean> {
  for (const folder of FOLDERS) {
    await mkdir(join(home, folder), { recursive: true, mode: 0o700 });
    for await (const { name, parentPath } of await opendir(join(home, folder), { recursive: !several })) {
      if (name.endsWith(".md") && (parentPath === join(home, folder)) === several) return true;
    }
  }
  return false;
}

/** Writes an issue's file where it belongs, if anywhere, and removes it elsewhere; returns that path below `home`. */
async function place(
  home: string,
  issue: Issue,
  { several, forgotten }: { several: boolean; forgotten: boolean },
): Promise<string | null> {
  const file = forgotten ? null : fileOf(issue, several);
  for (const path of pathsOf(issue, several)) {
    if (path !== file?.path) await rm(join(home, path), { force: true });
  }
  if (file === null) return null;
  await mkdir(dirname(join(home, file.path)), { recursive: true, mode: 0o700 });
  await writeFile(join(home, file.path), file.text, { mode: 0o600 });
  return file.path;
}

/** The two paths an issue's file may have: in progress, and queued. */
function pathsOf(issue: Issue, several: boolean): [string, string] {
  const folder = several ? foldersOf(issue.externalProjectId) : [];
  const name = `${safeName(issue.externalIssueId)}.md`;
  return [join("state", ...folder, name), join("queue/pending", ...folder, name)];
}

function foldersOf(externalProjectId: string): string[] {
  return externalProjectId.split("/").map(safeName);
}

function fileOf(issue: Issue, several: boolean): { path: string; text: string } | null {
  const [state, queued] = pathsOf(issue, several);
  const common = {
    repo: issue.externalProjectId,
    issue_number: issueNumber(issue),
    title: issue.title,
    ...(issue.confidential ? { confidential: true } : {}),
  };
  switch (issue.state) {
    case "queued":
      return { path: queued, text: frontMatter({ ...common, enqueued_at: issue.updatedAt.toISOString() }, issue) };
    case "pending_plan":
    case "planning":
    case "clarifying":
    case "awaiting_proceed":
    case "specifying":
    case "waiting_confirmation":
    case "stuck":
    case "paused": {
      const posted = issue.planPostedAt ? { plan_posted_at: issue.planPostedAt.toISOString() } : {};
      const fields = { state: issue.state, ...common, assigned_at: issue.assignedAt.toISOString(), ...posted };
      return { path: state, text: frontMatter(fields, issue) };
    }
    case "in_progress":
    case "in_review":
    case "done":
    case "failed":
    case "closed":
      return null;
    default:
      return issue.state satisfies never;
  }
}

function frontMatter(fields: Record<string, unknown>, issue: Issue): string {
  return `---\n${stringify(fields)}---\n\n${issueName(issue)}\n`;
}

function issueNumber(issue: Issue): number | string {
  return /^\d+$/.test(issue.externalIssueId) ? Number(issue.externalIssueId) : issue.externalIssueId;
}

/** Names come from trackers: they must neither lead out of the folder nor name hidden files. */
function safeName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "-").replace(/^\.+/, "") || "issue";
}

async function orIo<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("io", `cannot write the state files below ${home}: ${messageOf(cause)}`, { cause });
  }
}
