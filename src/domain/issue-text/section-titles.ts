import { plainText } from "./markdown.ts";
import { wholePhrase } from "./phrases.ts";
import titles from "./section-titles.json" with { type: "json" };

/** The purposes of an issue's sections; if a title fits several, the first. */
const SECTION_TOPICS = [
  "checklist",
  "alternatives",
  "acceptance",
  "reproduction",
  "actual",
  "expected",
  "environment",
  "left_out",
  "scope",
  "use_case",
  "proposal",
  "logs",
  "context",
  "description",
] as const;
export type SectionTopic = (typeof SECTION_TOPICS)[number];

/** Titles as worded in templates, in the languages that Relay writes in. */
const TITLES = SECTION_TOPICS.map((topic) => ({ topic, pattern: wholePhrase(titles[topic]) }));

const LONGEST_TITLE = 120;

/** The topic that a title announces; `null` if it announces none. */
export function topicOf(title: string): SectionTopic | null {
  const clean = plainText(title)
    .replaceAll(/^[\p{P}\p{S}\p{Zs}\d]+|[\p{P}\p{S}\p{Zs}]+$/gu, "")
    .trim();
  if (clean === "" || clean.length > LONGEST_TITLE) return null;
  return TITLES.find(({ pattern }) => pattern.test(clean))?.topic ?? null;
}
