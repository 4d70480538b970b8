import { unlessMissing } from "../missing.ts";
import QuickLRU from "quick-lru";
import { RelayError } from "../../../lib/errors.ts";
import { checkName } from "../texts.ts";
import type { PullRequests } from "../code-host.ts";
import type { Tracker } from "../tracker.ts";
import { getIssue } from "./issues.ts";
import { fetchPullRequest } from "./pull-requests.ts";
import { type RepositoryCall, numberOf } from "./repository.ts";

const COLOR = "5319e7";
const DESCRIPTION = "Set by Relay";

type Labels = Pick<Tracker, "changeLabels"> & Pick<PullRequests, "labelPullRequest">;

/** Labels of issues and pull requests. Their names are case-insensitive on GitHub. */
export function githubLabels(call: RepositoryCall): Labels {
  const made = new QuickLRU<string, true>({ maxSize: 1_000 });

  /** GitHub creates missing labels grey and without a description, so Relay's own are created first, once. */
  async function make(project: string, name: string): Promise<void> {
    const key = `${project}\n${name}`.toLowerCase();
    if (made.has(key)) return;
    if (!(await there(call, project, name))) {
      try {
        const body = { name, color: COLOR, description: DESCRIPTION };
        await call(project, { method: "POST", path: "/labels", body });
      } catch (error) {
        // It was just created by someone else, or Relay may only use labels: adding it will show which.
        if (!(error instanceof RelayError && (error.code === "invalid" || error.code === "forbidden"))) throw error;
      }
    }
    made.set(key, true);
  }

  async function add(project: string, number: string, wanted: readonly string[], present: readonly string[]) {
    const missing = [...new Set(wanted)].filter((name) => !includes(present, name));
    for (const name of missing) await make(project, name);
    if (missing.length === 0) return;
    await call(project, { method: "POST", path: `/issues/${number}/labels`, body: { labels: missing } });
  }

  return {
    labelPullRequest: async (project, number, labels) => {
      for (const name of labels) checkLabel(name);
      const present = (await fetchPullRequest(call, project, number)).labels ?? [];
      await add(
        project,
        String(number),
        labels,
        present.map(({ name }) => name),
      );
    },
    changeLabels: async (address, change) => {
      for (const name of [...change.add, ...change.remove]) checkLabel(name);
      const project = address.externalProjectId;
      const number = numberOf(address);
      const present = (await getIssue(call, address)).labels;
      await add(project, number, change.add, present);
      const unwanted = present.filter((name) => includes(change.remove, name) && !includes(change.add, name));
      for (const name of unwanted) {
        const path = `/issues/${number}/labels/${encodeURIComponent(name)}`;
        await unlessMissing(call(project, { method: "DELETE", path }));
      }
    },
  };
}

async function there(call: RepositoryCall, project: string, name: string): Promise<boolean> {
  const path = `/labels/${encodeURIComponent(name)}`;
  return (await unlessMissing(call(project, { method: "GET", path }))) !== null;
}

function checkLabel(name: string): void {
  checkName(name, "a label");
  // In a URL they would mean the folder itself or its parent.
  if (name === "." || name === "..")
    throw new RelayError("invalid", `a label cannot be called ${name}`, { status: 422 });
}

function includes(names: readonly string[], name: string): boolean {
  return names.some((other) => other.toLowerCase() === name.toLowerCase());
}
