import { pages } from "../pages.ts";
import { missing } from "../missing.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { detailOf } from "../check-detail.ts";
import type { CommitCheck, Checks } from "../code-host.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import type { RepositoryCall } from "./repository.ts";

/** Small pages: each check may carry 128 KiB of text. */
const PAGE = 50;
const MOST_PAGES = 20;
/** Annotations are fetched for at most this many failed checks. */
const MOST_ANNOTATED = 10;
const ANNOTATIONS = 50;

type CheckRun = z.infer<typeof answers.checkRun>;

const OUTCOMES = new Map<string, CommitCheck["outcome"]>([
  ["success", "passed"],
  ["failure", "failed"],
  ["timed_out", "failed"],
  ["startup_failure", "failed"],
  ["error", "failed"],
  ["pending", "pending"],
]);

/**
 * The checks of Apps, such as Actions, and the commit statuses of other services; only the newest of each. Checks are
 * compared within their suite, since two workflows may have jobs of the same name.
 */
export function githubChecks(call: RepositoryCall): Checks {
  return {
    listChecks: async (project, commit) => {
      if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) throw noCommit(project, commit);
      const runs = await unlessForbidden(checkRuns(project, commit));
      const statuses = await unlessForbidden(commitStatuses(project, commit));
      if (runs.refused && statuses.refused) throw runs.refused;
      return [...(runs.found ?? []), ...(statuses.found ?? [])];
    },
  };

  async function checkRuns(project: string, commit: string): Promise<CommitCheck[]> {
    const path = `/commits/${commit}/check-runs`;
    const found: CheckRun[] = [];
    const runs = z.object({ check_runs: z.array(answers.checkRun) });
    for await (const body of listed(project, commit, path, { filter: "latest" })) {
      found.push(...read(runs, body, `the checks of ${commit} in ${project}`).check_runs);
    }
    const newest = [...Map.groupBy(found, ({ check_suite: suite, name }) => `${suite?.id ?? ""} ${name}`).values()]
      .flatMap((same) => same.toSorted((one, other) => other.id - one.id).slice(0, 1))
      .toSorted((one, other) => one.id - other.id);
    const annotated = new Set(
      newest
        .filter((one) => outcomeOf(one) === "failed" && (one.output.annotations_count ?? 0) > 0)
        .slice(0, MOST_ANNOTATED),
    );
    const checks: CommitCheck[] = [];
    for (const one of newest) {
      const notes = annotated.has(one) ? await annotations(project, one) : "";
      const { title, summary, text } = one.output;
      checks.push({
        name: one.name,
        outcome: outcomeOf(one),
        url: one.html_url ?? one.details_url ?? null,
        // Annotations come first, since a long text may be truncated.
        detail: detailOf([title, notes, summary, text].filter((part) => part.trim() !== "").join("\n\n")),
      });
    }
    return checks;
  }

  async function annotations(project: string, { id, name }: CheckRun): Promise<string> {
    const path = `/check-runs/${id}/annotations`;
    const { body } = await call(project, { method: "GET", path, query: { per_page: ANNOTATIONS } });
    return read(z.array(answers.annotation), body, `what ${name} points out in ${project}`)
      .map(({ path: file, start_line: line, annotation_level: level, title, message }) => {
        const text = [title, message].filter((part) => part !== "").join(": ");
        return `${file}:${line ?? ""}: ${level}: ${text}`.slice(0, 1_000);
      })
      .join("\n");
  }

  async function commitStatuses(project: string, commit: string): Promise<CommitCheck[]> {
    const combined = z.object({ statuses: z.array(answers.commitStatus) });
    const found: CommitCheck[] = [];
    for await (const body of listed(project, commit, `/commits/${commit}/status`, {})) {
      const { statuses } = read(combined, body, `the statuses of ${commit} in ${project}`);
      for (const { context, state, description, target_url: url } of statuses) {
        const outcome = OUTCOMES.get(state) ?? "other";
        found.push({ name: context, outcome, url: url ?? null, detail: detailOf(description) });
      }
    }
    return found;
  }

  async function* listed(project: string, commit: string, path: string, query: Record<string, string>): AsyncGenerator {
    try {
      yield* pages(
        async (request) => await call(project, request),
        { method: "GET", path, query: { ...query, per_page: PAGE } },
        MOST_PAGES,
      );
    } catch (cause) {
      if (cause instanceof RelayError && cause.status === 422) throw noCommit(project, commit);
      throw cause;
    }
  }
}

function outcomeOf({ status, conclusion }: CheckRun): CommitCheck["outcome"] {
  return status === "completed" ? (OUTCOMES.get(conclusion ?? "") ?? "other") : "pending";
}

/** Fine-grained personal tokens can read statuses but not checks; returns whatever is readable. */
async function unlessForbidden<T>(
  work: Promise<T>,
): Promise<{ found: T; refused: null } | { found: null; refused: RelayError }> {
  try {
    return { found: await work, refused: null };
  } catch (error) {
    if (error instanceof RelayError && error.code === "forbidden" && error.status === 403) {
      return { found: null, refused: error };
    }
    throw error;
  }
}

function noCommit(project: string, commit: string): RelayError {
  return missing(`there is no commit ${JSON.stringify(commit.slice(0, 64))} in ${project}`);
}
