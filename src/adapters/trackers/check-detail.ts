const LONGEST_DETAIL = 8_000;

/** A check's own summary, cut at the end. */
export function detailOf(text: string): string {
  return clean(text).slice(0, LONGEST_DETAIL).toWellFormed();
}

/** The end of a check's output, where a log has the error. */
export function endOf(text: string): string {
  return clean(text).slice(-LONGEST_DETAIL).toWellFormed();
}

function clean(text: string): string {
  return text.replaceAll("\0", "").trim();
}
