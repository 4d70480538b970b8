import { QUOTED, quotation } from "./list-answers.ts";
import { isRefusal, mayEnd, mayRefuse } from "./endings.ts";
import { containsYes } from "./read-reply.ts";
import { sameLogin } from "../domain/login.ts";
import { isShort, leadsWithNo } from "../domain/statements/possible-decisions.ts";
import type { Statement } from "../domain/statements/statement.ts";
import type { ConversationMessage } from "../domain/conversation.ts";

/**
 * What the discussion of an issue came to, as far as rules can tell. `declined`: the one thing that was said of it as a
 * whole is a no. `doubtful`: the last words about it may refuse it, put it off, or say that it is done.
 */
export type Verdict = { kind: "open" } | { kind: "declined" | "doubtful"; by: Statement };

export function verdictOf(
  { reporter, title, isRequest }: { reporter: string; title: string; isRequest: boolean },
  messages: readonly Pick<ConversationMessage, "seq" | "content">[],
  record: readonly Statement[],
): Verdict {
  const ofOthers = record.filter(({ author }) => !sameLogin(author, reporter));
  // A reporter may withdraw the issue, but their “fair enough” lifts no refusal.
  const withdrawal = record.findLast(({ author, text }) => sameLogin(author, reporter) && mayEnd(own(text)));
  const last = ofOthers.findLast((one) => isOfWhole(one, title)) ?? (ofOthers.length === 0 ? withdrawal : undefined);
  const content = messages.find(({ seq }) => seq === last?.message)?.content ?? "";
  const isNo = isRefusal(content) && (leadsWithNo(content) || isShort(content, false));
  const saidYes = ofOthers.some((one) => one !== last && containsYes(own(one.text)));
  if (last !== undefined && isNo && ofOthers.length <= 1 && !saidYes) return { kind: "declined", by: last };
  const isEnd = last !== undefined && (isNo || mayEnd(own(last.text)) || (isRequest && mayRefuse(own(last.text))));
  const ending = isEnd ? last : withdrawal;
  return ending === undefined ? { kind: "open" } : { kind: "doubtful", by: ending };
}

/** Whether it answers neither a question nor the items of a list. */
function isOfWhole({ text }: Statement, title: string): boolean {
  return text.startsWith(quotation(title)) || !/^(?:“|\(\d)/.test(text);
}

function own(text: string): string {
  return text.replaceAll(QUOTED, " ");
}
