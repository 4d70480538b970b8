import type { Gap } from "../domain/gap.ts";
import { clausesOf, wordsOf } from "./clauses.ts";
import { isNegative, readReply } from "./read-reply.ts";

/**
 * What a reply to one question is: `agreed` to what Relay proposed to assume, `nothing` that settles it, or an `answer`
 * in its own words. A bare yes or no never is the answer of a question that asks for more.
 */
export type AnswerKind = "answer" | "agreed" | "nothing";

type Asked = Pick<Gap, "topic" | "severity" | "proposedDefault">;

export function answerKind({ topic, severity, proposedDefault }: Asked, text: string): AnswerKind {
  const bare = bareReply(text);
  if (bare === null) return "answer";
  // What is assumed for a blocking question would be a guess: that needs a go-ahead (R-PLAN-8).
  const mayAgree = severity !== "blocking" && (proposedDefault ?? "").trim() !== "";
  if (bare === "yes" && mayAgree) return "agreed";
  // A question without a topic is a model's or an agent's, which may ask for a yes or a no.
  // The rules' only blocking question about the result is whether anything is to change.
  const mayRefuse = topic === "acceptance" && severity === "blocking" && bare === "no";
  const takesYesOrNo = topic === null || mayRefuse || (topic === "compatibility" && bare !== "polite");
  return takesYesOrNo ? "answer" : "nothing";
}

/** Whether an answer says no, and nothing beyond it. */
export function isBareNo(text: string): boolean {
  return bareReply(text) === "no";
}

/** The longest word that is a bare no; longer ones, such as “don't crash”, say what is wanted. */
const LONGEST_NO = 5;

function bareReply(text: string): "yes" | "no" | "polite" | null {
  const { kind } = readReply(text);
  if (kind === "approve") return "yes";
  const clauses = clausesOf(wordsOf(text) ?? "");
  if (kind === "thanks") return clauses.length > 0 ? "polite" : null;
  if (kind !== "reject" && kind !== "stop") return null;
  const isBare = clauses.every(
    (clause) =>
      clause.kind === "polite" || (isNegative(clause) && /^\S+$/.test(clause.text) && clause.text.length <= LONGEST_NO),
  );
  return isBare ? "no" : null;
}
