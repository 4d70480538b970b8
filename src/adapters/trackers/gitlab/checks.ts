import { missing } from "../missing.ts";
import { type Call, pages } from "../pages.ts";
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { detailOf, endOf } from "../check-detail.ts";
import type { CommitCheck, Checks } from "../code-host.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { projectPath } from "./calls.ts";

const PAGE = 100;
const MOST_PAGES = 10;
/** Logs are read for at most this many failed jobs. Runners limit them to 4 MiB by default. */
const MOST_LOGS = 10;
const LARGEST_LOG = 10 * 1024 * 1024;

type Found = z.infer<typeof answers.commitStatus>;

const OUTCOMES = new Map<string, CommitCheck["outcome"]>([
  ["success", "passed"],
  ["failed", "failed"],
  ...[
    "created",
    "pending",
    "running",
    "preparing",
    "scheduled",
    "waiting_for_resource",
    "waiting_for_callback",
    "canceling",
  ].map((status): [string, CommitCheck["outcome"]] => [status, "pending"]),
]);

/**
 * The jobs of a commit's pipelines, and the statuses of other services. A commit can have a pipeline of its branch and
 * one of its merge request, with jobs of the same names; the newest of each counts.
 */
export function gitlabChecks(call: Call): Checks {
  return {
    listChecks: async (project, commit) => {
      if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) {
        throw missing(`there is no commit ${JSON.stringify(commit.slice(0, 64))} in ${project}`);
      }
      const path = `${projectPath(project)}/repository/commits/${commit}/statuses`;
      const found: Found[] = [];
      for await (const body of pages(call, { method: "GET", path, query: { per_page: PAGE } }, MOST_PAGES)) {
        found.push(...read(z.array(answers.commitStatus), body, `the checks of ${commit} in ${project}`));
      }
      const newest = [...Map.groupBy(found, ({ ref, name }) => `${ref} ${name}`).values()]
        .flatMap((same) => same.toSorted((one, other) => other.id - one.id).slice(0, 1))
        .toSorted((one, other) => one.id - other.id);
      const logged = new Set(newest.filter((one) => outcomeOf(one) === "failed").slice(0, MOST_LOGS));
      const checks: CommitCheck[] = [];
      for (const one of newest) {
        const log = logged.has(one) ? await logOf(project, one.id) : "";
        checks.push({
          name: one.name,
          outcome: outcomeOf(one),
          url: one.target_url ?? null,
          detail: log === "" ? detailOf(one.description) : endOf(log),
        });
      }
      return checks;
    },
  };

  /** Empty for statuses that are not GitLab jobs, and for logs that are not visible to Relay or too long. */
  async function logOf(project: string, job: number): Promise<string> {
    const path = `${projectPath(project)}/jobs/${job}/trace`;
    try {
      const { body } = await call({ method: "GET", path, as: "text", maxBytes: LARGEST_LOG });
      return typeof body === "string" ? readable(body) : "";
    } catch (error) {
      if (error instanceof RelayError && ["not_found", "forbidden", "too_large"].includes(error.code)) return "";
      throw error;
    }
  }
}

/** Jobs that are allowed to fail do not fail a pipeline. */
function outcomeOf({ status, allow_failure: mayFail }: Found): CommitCheck["outcome"] {
  const outcome = OUTCOMES.get(status) ?? "other";
  return outcome === "failed" && mayFail === true ? "other" : outcome;
}

/** A log without colours and section markers; of an overwritten line, the last state. */
function readable(log: string): string {
  return stripVTControlCharacters(log.slice(-100_000))
    .replaceAll(/section_(?:start|end):\d+:[^\r\n]{0,300}\r/g, "")
    .split(/\r?\n/)
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}
