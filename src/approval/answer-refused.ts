import { sameLogin } from "../domain/login.ts";
import { type ConfirmationFacts, type PlanReply, type RefusedYes, isDecision, mayApprove } from "./consent.ts";
import { announce, answerPeople } from "./plan-notices.ts";
import type { Thread, ThreadDeps } from "./thread.ts";

/** Answers approvals that do not count, each person once of each kind for each version. */
export async function answerRefused(thread: Thread, refused: readonly RefusedYes[], deps: ThreadDeps) {
  const { issue, plan, rules } = thread;
  const ofSpec = refused.filter(({ needs }) => needs === "yes to the plan");
  if (ofSpec.length > 0) {
    const about = { key: `spec-only:${plan.id}`, why: "the approval names the spec, and not the plan" };
    await announce(issue, { kind: "spec_only", people: authorsOf(ofSpec), version: plan.version }, about, deps);
  }
  const beside = refused.filter(({ needs }) => needs === "words of its own");
  if (beside.length > 0) {
    const about = { key: `beside:${plan.id}`, why: "the yes answers somebody else's question" };
    await announce(issue, { kind: "beside", people: authorsOf(beside), version: plan.version }, about, deps);
  }
  const lacking = refused.flatMap(({ author, needs }) =>
    needs === "write" || needs === "maintain" ? [{ author, needs }] : [],
  );
  const [first] = lacking;
  if (first === undefined) return;
  const about = { key: `refused:${plan.id}`, why: "the approval needs another permission" };
  const needs = first.needs === "write" && rules.mode === "plan" ? "reporter" : first.needs;
  await answerPeople(thread, { kind: "refused", people: authorsOf(lacking), needs }, about, deps);
}

function authorsOf(refused: readonly Pick<RefusedYes, "author">[]): string[] {
  return [...new Set(refused.map(({ author }) => author))];
}

/** Yeses to other people's questions, of those who could have meant the plan and said nothing else about it. */
export function besides(yeses: readonly PlanReply[], facts: ConfirmationFacts): RefusedYes[] {
  return yeses
    .filter((yes) => mayApprove(yes, facts))
    .filter(({ author }) => !facts.replies.some((one) => sameLogin(one.author, author) && isDecision(one.content)))
    .map(({ author, messageId }) => ({ author, messageId, needs: "words of its own" }));
}
