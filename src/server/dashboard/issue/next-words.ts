import type { Issue } from "../../../domain/issue.ts";

/** What people can say next, with one click. */
const WORDS = {
  clarifying: { title: "Go ahead without answers", words: "Go ahead with the spec." },
  awaiting_proceed: { title: "Go ahead", words: "Go ahead with the spec." },
  waiting_confirmation: { title: "Agree to the plan", words: "Yes, go ahead." },
  stuck: { title: "Try again", words: "Please try again." },
} as const;
export const STOP = { title: "Stop", words: "Please stop." };
const STOPPABLE = new Set(["waiting_confirmation", "queued", "in_progress", "in_review"]);

/** Whether there is something to stop. */
export function isStoppable({ state }: Pick<Issue, "state">): boolean {
  return STOPPABLE.has(state);
}

/** The buttons that fit where the issue stands, with the words that each says. */
export function nextWords(issue: Pick<Issue, "state">): { title: string; words: string }[] {
  const known = Object.entries(WORDS).flatMap(([state, words]) => (state === issue.state ? [words] : []));
  return [...known, ...(isStoppable(issue) ? [STOP] : [])];
}
