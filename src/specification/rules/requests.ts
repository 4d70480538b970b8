import { withoutQuotations } from "../../approval/own-words.ts";
import { withoutAsides } from "../../approval/wishes.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { withoutToolOrders } from "../../domain/issue-text/tool-orders.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import type { SpecInput } from "../generator.ts";
import { requestsInForce } from "../revision/changelog.ts";
import { isHandsOff } from "./heard.ts";
import type { Said } from "./own-words.ts";
import { plain } from "./plain.ts";
import type { WishesHeard } from "./wished.ts";

const MOST_REQUESTS = 8;
/** Characters; shorter messages such as "Thanks!" request nothing. */
const SHORTEST_REQUEST = 12;
const LONGEST_REQUEST = 300;

/** A scenario would cut it: it stands in the Decision Log. */
export function isLong({ content }: { content: string }): boolean {
  return content.length > LONGEST_REQUEST;
}

/** Requests made after an earlier version, except those already used as the answer to a question. */
export function requestsOf(
  input: SpecInput,
  answered: ReadonlySet<number | undefined>,
  isBound: WishesHeard["isBound"],
): Said[] {
  // Each of several statements has its own place.
  const stated = (seq: number) => input.statements.statements.filter(({ message }) => message === seq);
  const isLimit = ({ seq, content }: { seq: number; content: string }) =>
    sentencesOf(content).length === 1 && stated(seq).some((one) => one.kind === "bound" && isHandsOff(one));
  return requestsInForce(input)
    .map((message) => ({ ...message, content: withoutAsides(withoutToolOrders(withoutQuotations(message.content))) }))
    .filter(
      (message) =>
        !answered.has(message.seq) &&
        !isLong(message) &&
        !isBound({ text: message.content, message: message.seq }) &&
        stated(message.seq).length < 2 &&
        !stated(message.seq).some(({ supersededBy }) => supersededBy !== null) &&
        !isLimit(message) &&
        plain(message.content).length > SHORTEST_REQUEST,
    )
    .map((message) => ({ text: message.content, gap: null, message: message.seq }))
    .slice(-MOST_REQUESTS);
}

/** Requests that only bound the work, in words that no rule reads as a statement. */
export function unstated(input: SpecInput, isBound: WishesHeard["isBound"]): Statement[] {
  return requestsInForce(input)
    .filter(({ seq }) => !input.statements.statements.some(({ message }) => message === seq))
    .map(({ content, seq: message, author }) => {
      const text = withoutQuotations(content);
      return { kind: "bound" as const, text, message, author, decides: true, agreedIn: null, supersededBy: null };
    })
    .filter(isBound);
}
