import QuickLRU from "quick-lru";
import { RelayError } from "../../lib/errors.ts";
import { checkName } from "../texts.ts";
import type { IssueTracker } from "../tracker.ts";
import { getIssue } from "./issues.ts";
import type { RepositoryCall } from "./repository.ts";
import { numberOf, unlessMissing } from "./repository.ts";

const COLOR = "5319e7";
const DESCRIPTION = "Set by Relay";

type Labels = Pick<IssueTracker, "changeLabels">;

/** Labels of issues. GitHub calls two of them the same where only case differs. */
export function githubLabels(call: RepositoryCall): Labels {
  const made = new QuickLRU<string, true>({ maxSize: 1_000 });

  /** GitHub makes what is missing as well, but grey and without a word; so Relay's are made before, once. */
  async function make(project: string, name: string): Promise<void> {
    const key = `${project}\n${name}`.toLowerCase();
    if (made.has(key)) return;
    if (!(await there(call, project, name))) {
      try {
        const body = { name, color: COLOR, description: DESCRIPTION };
        await call(project, { method: "POST", path: "/labels", body });
      } catch (error) {
        // Somebody else made it just now, or Relay may only use labels: adding it tells.
        if (!(error instanceof RelayError && (error.code === "invalid" || error.code === "forbidden"))) throw error;
      }
    }
    made.set(key, true);
  }

  return {
    changeLabels: async (address, { add, remove }) => {
      for (const name of [...add, ...remove]) checkLabel(name);
      const project = address.externalProjectId;
      const path = `/issues/${numberOf(address)}/labels`;
      const present = (await getIssue(call, address)).labels;
      const missing = [...new Set(add)].filter((name) => !includes(present, name));
      const unwanted = present.filter((name) => includes(remove, name) && !includes(add, name));
      for (const name of missing) await make(project, name);
      if (missing.length > 0) await call(project, { method: "POST", path, body: { labels: missing } });
      for (const name of unwanted) {
        await unlessMissing(call(project, { method: "DELETE", path: `${path}/${encodeURIComponent(name)}` }));
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
  // In an address they would mean the folder itself or the one above.
  if (name === "." || name === "..")
    throw new RelayError("invalid", `a label cannot be called ${name}`, { status: 422 });
}

function includes(names: readonly string[], name: string): boolean {
  return names.some((other) => other.toLowerCase() === name.toLowerCase());
}
