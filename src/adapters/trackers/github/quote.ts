import { safeComment } from "../../../domain/text/comment-sanitizer.ts";

const LONGEST_QUOTE = 200;
const LONGEST_BODY = 65_536;

/**
 * An answer below the first line of what it answers, for places without threads. What is quoted mentions nobody once
 * more and hides nothing. Where there is nothing to quote, or no room, the answer stands alone.
 */
export function quoting(said: string, answer: string): string {
  const line = said
    .split("\n")
    .map((one) => one.trim())
    // Neither a quote of somebody else, nor the fence of some code.
    .find((one) => /[\p{L}\p{N}]/u.test(one) && !/^(?:>|```|~~~|<!--)/.test(one));
  if (line === undefined) return answer;
  const short = line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE).toWellFormed().trimEnd()}…` : line;
  const [quiet = ""] = safeComment(short, { participants: [], bot: "" }).text.split("\n");
  const whole = `> ${quiet}\n\n${answer}`;
  return quiet.trim() === "" || whole.length > LONGEST_BODY ? answer : whole;
}
