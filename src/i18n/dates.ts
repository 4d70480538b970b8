/** A time for people, by the day and the minute: `23 Nov 2026, 07:10 UTC`. */
export function timeText(time: Date, language: string): string {
  return `${formatOf(language).format(time)} UTC`;
}

/** Names as a language lists what is an alternative: `ann, bob or anyone with write access`. */
export function anyOf(names: readonly string[], language: string): string {
  return new Intl.ListFormat(localeOf(language), { type: "disjunction" }).format(names);
}

function formatOf(language: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(localeOf(language), { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
}

/** American English would write the month first, and the hour by halves of the day. */
function localeOf(language: string): string {
  return language === "en" ? "en-GB" : language;
}
