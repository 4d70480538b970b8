import { type Issue, issueName } from "../domain/issue.ts";
import { RelayError } from "../lib/errors.ts";

/** Resolves an issue by number (`7`, `#7`), name (`local/demo#7`, `demo#7`), id or URL. */
export function pickIssue(issues: Issue[], wanted: string): Issue {
  const word = wanted.replace(/^#/, "").toLowerCase();
  const matches = issues.filter((issue) =>
    [
      issue.id,
      issue.externalIssueId,
      issueName(issue),
      `${issue.externalProjectId}#${issue.externalIssueId}`,
      issue.url ?? "",
    ].some((name) => name.toLowerCase() === word),
  );
  const [first, ...others] = matches;
  if (!first) {
    throw new RelayError("not_found", `no issue “${wanted}” is known here; \`relay status\` lists the known ones`);
  }
  if (others.length > 0) {
    throw new RelayError("usage", `“${wanted}” could be ${matches.map(issueName).join(" or ")}; say which`);
  }
  return first;
}

/** The number given with `--cycle`. */
export function cycleNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RelayError("usage", `--cycle must be the number of a cycle, not “${text}”`);
}
