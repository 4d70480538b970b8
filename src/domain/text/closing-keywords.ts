/**
 * What makes GitHub or GitLab close an issue as soon as a text is merged: `fixes #9`, `Closes: group/project#9`,
 * `resolves GH-9`, `implements https://…/issues/9`.
 */
const CLOSING =
  /(?<![A-Za-z0-9])(clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(:?)\s{0,20}(?=(?:issues?\s{1,20})?(?:[\w./\\-]{0,200}[#!]\d|GH-\d|\\?https?:\/\/|`[^`\n]{0,200}[#!]\d))/gi;

/** Keys of other trackers that are joined to GitLab: `closes ABC-9`. */
const CLOSING_KEY =
  /(?<![A-Za-z0-9])([Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?)(:?) {1,20}(?=[A-Z][A-Z0-9_]{1,100}-\d)/g;

/**
 * A text that closes no issue: puts a dash between the keyword and the number. It reads the same for people; code spans
 * too are broken up, since not every tracker ignores them. Idempotent.
 */
export function withoutClosing(text: string): string {
  return withoutClosingNumbers(text).replaceAll(CLOSING_KEY, "$1$2 – ");
}

/**
 * Like `withoutClosing`, but only for numbers and addresses: `UTF-8` in the title `fix: UTF-8 …` is not an issue's key.
 */
export function withoutClosingNumbers(text: string): string {
  return text.replaceAll(CLOSING, "$1$2 – ");
}

/** A text that skips no checks as the message of a squashed commit: `[skip ci]` and the like work anywhere in it. */
export function withoutSkips(text: string): string {
  return text
    .replaceAll(/\[(?=(?:skip|no)[ -](?:ci|actions)\]|(?:ci|actions)[ -]skip\])/gi, "[ ")
    .replaceAll(/\*\*\*NO_CI\*\*\*/gi, "NO_CI")
    .replaceAll(/(?<=skip-checks):(?=[ \t]*true)/gi, " =");
}
