import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stringify } from "yaml";
import { type Issue, issueName } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";

/**
 * The state files of R-LIFE-6, for people and other tools: written from the database, never read back. With several
 * repositories, paths include the repository's name.
 */
export async function writeStateFiles(home: string, issues: Issue[]): Promise<string[]> {
  const several = new Set(issues.map((issue) => `${issue.provider}/${issue.externalProjectId}`)).size > 1;
  const wanted = new Map(issues.flatMap((issue) => filesOf(issue, several)));
  const written: string[] = [];
  try {
    for (const folder of ["state", "queue/pending"]) {
      await mkdir(join(home, folder), { recursive: true });
      for (const file of await readdir(join(home, folder), { recursive: true })) {
        const path = join(folder, file);
        if (path.endsWith(".md") && !wanted.has(path)) await rm(join(home, path), { force: true });
      }
    }
    for (const [path, text] of wanted) {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
      written.push(join(home, path));
    }
  } catch (cause) {
    throw new RelayError("io", `cannot write the state files below ${home}: ${messageOf(cause)}`, { cause });
  }
  return written;
}

/** The same for one changed issue. */
export async function writeStateFile(home: string, issue: Issue, several: boolean): Promise<void> {
  const wanted = new Map(filesOf(issue, several));
  try {
    for (const path of pathsOf(issue, several)) {
      const text = wanted.get(path);
      if (text === undefined) {
        await rm(join(home, path), { force: true });
      } else {
        await mkdir(dirname(join(home, path)), { recursive: true });
        await writeFile(join(home, path), text);
      }
    }
  } catch (cause) {
    throw new RelayError("io", `cannot write the state files below ${home}: ${messageOf(cause)}`, { cause });
  }
}

/** The two paths an issue's file may have: in progress, and queued. */
function pathsOf(issue: Issue, several: boolean): [string, string] {
  const folder = several ? issue.externalProjectId.split("/").map(safeName) : [];
  const name = `${safeName(issue.externalIssueId)}.md`;
  return [join("state", ...folder, name), join("queue/pending", ...folder, name)];
}

function filesOf(issue: Issue, several: boolean): [string, string][] {
  const [state, queued] = pathsOf(issue, several);
  const common = {
    repo: issue.externalProjectId,
    issue_number: issueNumber(issue),
    title: issue.title,
    ...(issue.confidential ? { confidential: true } : {}),
  };
  switch (issue.state) {
    case "queued":
      return [[queued, frontMatter({ ...common, enqueued_at: issue.updatedAt.toISOString() }, issue)]];
    case "pending_plan":
    case "planning":
    case "clarifying":
    case "awaiting_proceed":
    case "specifying":
    case "waiting_confirmation":
    case "stuck":
    case "paused":
      return [
        [
          state,
          frontMatter(
            {
              state: issue.state,
              ...common,
              assigned_at: issue.assignedAt.toISOString(),
              ...(issue.planPostedAt ? { plan_posted_at: issue.planPostedAt.toISOString() } : {}),
            },
            issue,
          ),
        ],
      ];
    case "in_progress":
    case "in_review":
    case "done":
    case "failed":
    case "closed":
      return [];
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

/** Names come from trackers: they must neither lead out of the folder nor be hidden files. */
function safeName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, "-").replace(/^\.+/, "") || "issue";
}
