const LONGEST_DETAIL = 8_000;

/** What a check says of itself, from its beginning on. */
export function detailOf(text: string): string {
  return clean(text).slice(0, LONGEST_DETAIL).toWellFormed();
}

/** The end of what a check has written, which is where a log tells what went wrong. */
export function endOf(text: string): string {
  return clean(text).slice(-LONGEST_DETAIL).toWellFormed();
}

function clean(text: string): string {
  return text.replaceAll("\0", "").trim();
}
