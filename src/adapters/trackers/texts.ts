import { isBlank } from "../../domain/text/hidden-characters.ts";
import type { NewPullRequest } from "./code-host.ts";
import { RelayError } from "../../lib/errors.ts";

/** In characters, as on hosted trackers. */
export const LONGEST_BODY = 65_536;
const LONGEST_NAME = 255;

/** The text of a comment: 1 to 65,536 characters of which people see something. */
export function checkComment(body: string): void {
  if (isBlank(body)) throw unfit("a comment must not be blank");
  checkText(body, "a comment", LONGEST_BODY);
}

/** The text of an issue or a pull request, which may be empty. */
export function checkBody(body: string): void {
  checkText(body, "a text", LONGEST_BODY);
}

/** What every code host asks of a new pull request. */
export function checkPullRequest({ title, body, head, base }: NewPullRequest): void {
  checkName(title, "a title");
  checkBody(body);
  checkName(head, "the head");
  checkName(base, "the base");
}

/** A title, or the name of a label, a branch, a project or a person: one line. */
export function checkName(name: string, what: string): void {
  if (isBlank(name) || /[\r\n]/.test(name)) throw unfit(`${what} must be one line that is not blank`);
  checkText(name, what, LONGEST_NAME);
}

export function unfit(message: string, cause?: unknown): RelayError {
  return new RelayError("invalid", message, { status: 422, cause });
}

/** A text of at most `most` characters that is stored unchanged. */
export function checkText(text: string, what: string, longest: number): void {
  if (text.includes("\0")) throw unfit(`${what} must not hold a NUL character`);
  // The stored text would differ from this one.
  if (!text.isWellFormed()) throw unfit(`${what} must be valid Unicode`);
  if (text.length > longest && Array.from(text).length > longest) {
    throw unfit(`${what} must have at most ${longest} characters`);
  }
}
