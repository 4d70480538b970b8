import { type FieldError, invalid } from "../http/answer.ts";

/** GitHub counts characters, of up to four bytes each. */
const LONGEST = 65_536;

const tooLong = (text: string) => text.length > LONGEST && Array.from(text).length > LONGEST;

/** The bodies of issues and pull requests. */
export function checkText(resource: "Issue" | "PullRequest", text: string): void {
  if (!tooLong(text)) return;
  const message = `body is too long (maximum is ${LONGEST} characters)`;
  throw invalid({ resource, code: "custom", field: "body", message });
}

/** Comments say something. */
export function checkComment(resource: "IssueComment" | "PullRequestReviewComment", text: string): void {
  const wrong = (message: string): FieldError => ({ resource, code: "unprocessable", field: "data", message });
  if (text.trim() === "") throw invalid(wrong("Body cannot be blank"));
  if (tooLong(text)) throw invalid(wrong(`Body is too long (maximum is ${LONGEST} characters)`));
}
