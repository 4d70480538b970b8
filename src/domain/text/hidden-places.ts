import type { Issue } from "../issue.ts";
import type { ConversationMessage } from "../conversation.ts";
import { type HiddenText, stripHiddenText } from "./hidden-text.ts";

/** More of one text is not read. */
const LONGEST_TEXT = 256 * 1024;

/** Something that a text of the thread hides from people; `seq` is that of its message, null for the issue's own text. */
export interface HiddenPlace extends HiddenText {
  seq: number | null;
  author: string;
}

/** What the texts of an issue's thread hide, in order, for people to know that no model has read it (R-SAFE-6). */
export function hiddenPlaces(
  { body, reporter }: Pick<Issue, "body" | "reporter">,
  messages: readonly ConversationMessage[],
): HiddenPlace[] {
  const texts = [
    { seq: null, author: reporter, content: body },
    ...messages.filter(({ role }) => role !== "self").map(({ seq, author, content }) => ({ seq, author, content })),
  ];
  return texts.flatMap(({ content, ...by }) => hiddenIn(content).map((hidden) => ({ ...by, ...hidden })));
}

/** What one text hides. */
export function hiddenIn(text: string): HiddenText[] {
  return stripHiddenText(text, { most: LONGEST_TEXT }).hidden;
}
