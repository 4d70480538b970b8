import type { Issue, Provider } from "../../domain/issue.ts";
import { isAmong } from "../../domain/login.ts";
import { EVERYTHING, type Sight } from "../../domain/sight.ts";

/** A person who looks at pages, calls the API or uses MCP (R-SAFE-4). */
export interface Viewer extends Sight {
  /** The tracker whose account they logged in with; null for the operator, who sees and controls everything. */
  provider: Provider | null;
  /** The stable id of their account there; null for the operator. */
  accountId: string | null;
  /** Ids of repositories that they may write to, as last known: pages offer actions by it. An action checks again. */
  writes?: readonly string[];
  /** The personal token that speaks for them; absent where they do it themselves. */
  token?: { name: string; acts: boolean };
}

/** The account that runs Relay. */
export function operatorView(login: string): Viewer {
  return { ...EVERYTHING, login, provider: null, accountId: null };
}

/** Whether they run Relay: only the operator sees the queue, the settings and the costs of the workspace. */
export function isOperator({ provider }: Pick<Viewer, "provider">): boolean {
  return provider === null;
}

/** Whether they see the issue: a confidential one only if they see it in the tracker (R-SAFE-11). */
export function maySee(
  { repositories, triages, login }: Sight,
  issue: Pick<Issue, "repositoryId" | "confidential" | "reporter" | "assignees">,
): boolean {
  if (repositories !== null && !repositories.includes(issue.repositoryId)) return false;
  if (!issue.confidential || triages === null || triages.includes(issue.repositoryId)) return true;
  return isAmong(login, [issue.reporter, ...issue.assignees]);
}
