import type { ReviewAnswer, ReviewQuestion, AnswerReview } from "../../domain/work.ts";
import { keptCode, keptText, seenText } from "../../domain/text/clean-text.ts";
import { protectedPaths } from "../../code/tools/protected-files.ts";
import { boundaryFrom, fence, fenceCode } from "../../adapters/models/fence.ts";
import type { AgentModel } from "../../adapters/models/model.ts";
import type { Prompt } from "../../adapters/models/prompt.ts";

export interface ReviewAnswerParts {
  model: AgentModel;
  /** `loadPrompt("answer")`. */
  prompt: Prompt;
  /** In [0, 1), from a cryptographic source. */
  random: () => number;
  /** Globs of files that no model sees, besides the built-in ones. */
  protect: readonly string[];
  /** US dollars that one answer may cost; 0 if the budget is used up. */
  costUsd: () => Promise<number>;
}

/** One answer without tools; the second step is for a model that stumbles. */
const LIMITS = { steps: 2, ms: 90_000, answerTokens: 8_000, answerCharacters: 20_000 };
/** A longer answer is not brief, and is cut. */
const LONGEST = 3_000;
const MOST = { said: 2_000, before: 20, spec: 16_000, changes: 40_000 };

/** Answers questions in reviews with the planner's model, from what is known about the request (R-WORK-9). */
export function reviewAnswers({ model, prompt, random, protect, costUsd }: ReviewAnswerParts): AnswerReview {
  const isProtected = protectedPaths(protect);
  const system = prompt.fill({});
  return async (question): Promise<ReviewAnswer> => {
    const usd = await costUsd();
    if (usd <= 0) return { kind: "no_budget" };
    const content = materialOf(question, isProtected, boundaryFrom(random));
    const limits = { ...LIMITS, costUsd: usd };
    const outcome = await model.run({ role: "planner", system, turns: [{ role: "user", content }], limits });
    const text = outcome.kind === "finished" ? outcome.text.trim() : "";
    if (text === "") return { kind: "no_answer", why: `${outcome.model}: ${whyNot(outcome)}` };
    return { kind: "answered", text: text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}…` : text };
  };
}

function whyNot(outcome: Awaited<ReturnType<AgentModel["run"]>>): string {
  if (outcome.kind === "failed") return outcome.failure.message;
  return outcome.kind === "limit" ? `limit of ${outcome.limit}` : outcome.kind;
}

/** What the model reads: bounded, fenced, without secrets and protected files. */
function materialOf(question: ReviewQuestion, isProtected: (path: string) => boolean, boundary: string): string {
  const { author, text, before, path, line, around, steps, spec, checks } = question;
  const said = (by: string, words: string) => fence(`comment by @${by}`, seenText(words, MOST.said), boundary);
  const changes = withinLimit(question.changes.filter((change) => !isProtected(change.path)));
  const lines = around !== null && !isProtected(around.path) ? around : null;
  const place = path === null ? "the pull request as a whole" : `${path}${line === null ? "" : `:${line}`}`;
  const numbered = lines?.lines.map((each, index) => `${lines.from + index}: ${each}`).join("\n") ?? "";
  const some = (label: string, words: string) =>
    words === "" ? [] : [fence(label, keptText(words), boundary, { tags: false })];
  return [
    section(
      "What was said before",
      before.slice(-MOST.before).map((each) => said(each.author, each.text)),
    ),
    section(
      "The change",
      changes.map(({ path: file, patch }) => fenceCode(`diff of ${file}`, keptCode(patch), boundary)),
    ),
    section("The lines around the place", numbered === "" ? [] : [fenceCode("file", keptCode(numbered), boundary)]),
    section("The agreed plan", some("plan", steps.join("\n"))),
    section("The spec", some("spec", spec?.slice(0, MOST.spec) ?? "")),
    section("What was checked", some("checks", checks.join("\n"))),
    section("The question", [fenceCode("place", place, boundary), said(author, text)]),
  ]
    .flat()
    .join("\n\n");
}

function section(title: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [[`# ${title}`, ...parts].join("\n\n")];
}

/** The first files as far as they fit; the last one is cut. */
function withinLimit(changes: ReviewQuestion["changes"]): ReviewQuestion["changes"] {
  let left = MOST.changes;
  return changes.flatMap(({ path, patch }) => {
    if (left <= 0) return [];
    const kept = patch.slice(0, left);
    left -= kept.length;
    return [{ path, patch: kept.length < patch.length ? `${kept.toWellFormed()}\n[the rest is left out]` : kept }];
  });
}
