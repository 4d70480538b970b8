import { markOf } from "../../approval/record.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { plainText } from "../../domain/issue-text/markdown.ts";
import type { SectionTopic } from "../../domain/issue-text/section-titles.ts";
import { checkbox } from "../../domain/issue-text/stop-words.ts";
import { isCourtesy } from "../../domain/statements/sentence.ts";
import { phrase } from "./plain.ts";

/** Sections that ask for nothing, or stand elsewhere in a spec. */
const ASIDE = new Set<SectionTopic | null>(["checklist", "alternatives", "environment", "left_out", "logs", "context"]);
const MOST = 14;
/** Characters of one paragraph or item. */
const LONGEST = 400;

/** What an issue asks for, item by item, as it stands: “agreed” and “2. no” say nothing without it. */
export function askedIn({ sections, text }: Pick<IssueReading, "sections" | "text">): string[] {
  const items = sections
    .filter(({ topic }) => !ASIDE.has(topic))
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => {
      if (block.kind !== "paragraph" || block.quoted) return [];
      const said = phrase(plainText(checkbox(block.text)?.text ?? block.text), LONGEST);
      const [mark = ""] = markOf(block, text);
      return said === "" || isCourtesy(said) ? [] : [/\d/.test(mark) ? `${mark} ${said}` : said];
    });
  return items.length > MOST ? [...items.slice(0, MOST), "…"] : items;
}
