import { type IssueAddress, PROVIDERS, pathOf } from "../../domain/issue.ts";

export { pathOf };

/** The path to a message in the story of its issue, however long that is. */
export function messagePath(issue: IssueAddress, number: number): string {
  return `${pathOf(issue)}?message=${number}#message-${number}`;
}

/** The issue of such a path, without `/issues/`; null if it is none. */
export function issueAt(path: string): IssueAddress | null {
  let parts: string[];
  try {
    parts = path.split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
  const [first, ...rest] = parts;
  const provider = PROVIDERS.find((name) => name === first);
  const number = rest.pop();
  if (provider === undefined || number === undefined || rest.length === 0) return null;
  return { provider, externalProjectId: rest.join("/"), externalIssueId: number };
}
