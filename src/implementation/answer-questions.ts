import { originsIn } from "../notify/link-origins.ts";
import type { SpecStore } from "../adapters/spec-stores/spec-store.ts";
import { storedSpec } from "../adapters/spec-stores/stored-spec.ts";
import type { CodeHost } from "../adapters/trackers/code-host.ts";
import { git } from "../code/git/git.ts";
import type { Repository } from "../code/git/repository.ts";
import { staysNeutral } from "../domain/confidential.ts";
import { type Issue, issueName } from "../domain/issue.ts";
import type { PlanStep, Task } from "../domain/plan.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { detectLanguage } from "../domain/text/language.ts";
import type { AnswerReview, ReviewQuestion, Run, TaskRequest } from "../domain/work.ts";
import type { Context } from "../storage/context.ts";
import type { Db } from "../storage/db.ts";
import { getPlan } from "../storage/plans.ts";
import { findWords, keepWords } from "../storage/posts.ts";
import type { StoredRepository } from "../storage/repositories.ts";
import { runFacts } from "../storage/runs.ts";
import { type ReviewFacts, type SeenComment, questionsIn, saidBefore } from "./pull-request/review-follow-up.ts";
import { answerQuestion, keyOfQuestion, questionText } from "./pull-request/thread-answers.ts";
import { requestPosts } from "./request-posts.ts";

/** A task whose pull request is in review. */
export interface UnderReview {
  issue: Issue;
  task: Task;
  request: TaskRequest;
  /** The newest finished run. */
  run: Run | null;
}

export interface QuestionDeps extends Context {
  codeHost: CodeHost;
  specStore: SpecStore;
  repository: StoredRepository;
  /** The current code of a repository. */
  withCode: <T>(repository: StoredRepository, work: (code: Repository) => Promise<T>) => Promise<T>;
  /** Lets the planner's model answer; null if no model is configured. */
  answerReview: AnswerReview | null;
}

/**
 * Answers people who only ask a question, without starting a run: with the planner's model, else by rules from the
 * diff, the spec and the plan. A model's answer is stored before it is posted, so that it is not paid for again after a
 * crash. The questions are recorded as seen afterwards.
 */
export async function answerQuestions(under: UnderReview, facts: ReviewFacts, deps: QuestionDeps): Promise<void> {
  const { db, log, codeHost } = deps;
  const { issue, request } = under;
  const { project, number } = { project: issue.externalProjectId, number: request.number };
  const steps = await stepsOf(under, db);
  for (const question of questionsIn(facts)) {
    const key = keyOfQuestion(question.id);
    let why = "by rules";
    const words = async () => {
      why = "by the model";
      const kept = await findWords(db, issue.id, key);
      if (kept !== null) return kept;
      const asked = await materialOf(question, under, facts, deps);
      const answer = (await deps.answerReview?.(asked)) ?? null;
      if (answer?.kind === "answered") {
        await keepWords(db, issue.id, key, answer.text);
        return answer.text;
      }
      why = answer === null ? "by rules" : `by rules: ${answer.kind}`;
      if (answer?.kind === "no_answer")
        log.warn({ issue: issueName(issue), why: answer.why }, "no answer of the model");
      return questionText(
        {
          language: languageOf(question, issue),
          steps,
          without: answer?.kind ?? null,
          hunk: hunkOf(asked),
          decisions: decisionsOn(asked),
        },
        question.path,
      );
    };
    const about = { asked_in: question.id, asked_by: question.author };
    const posts = requestPosts(deps, issue, { number, what: "question.answered", why: () => why, about });
    const origins = async (said: string) => await originsIn(said, issue, { db, tracker: codeHost });
    const by = { codeHost, calledAs: facts.calledAs, posts, origins };
    const unanswered = await answerQuestion({ ...question, project, number, words }, by);
    if (unanswered !== null) {
      log.warn({ issue: issueName(issue), thread: question.threadId, why: unanswered }, "question not answered");
    }
  }
}

/**
 * The agreed steps that readers of the request may see, without steps that contain the path of the spec on this server.
 */
async function stepsOf({ issue, task }: UnderReview, db: Db): Promise<PlanStep[]> {
  if (staysNeutral(issue)) return [];
  const { plan_steps: steps } = (await getPlan(db, task.planId)).plan;
  return steps.filter(({ description }) => issue.spec === null || !description.includes(issue.spec.path));
}

/** One or two words are too few to detect their language. */
function languageOf({ content }: SeenComment, issue: Issue): string {
  return content.trim().split(/\s+/).length < 3 ? issue.language : detectLanguage(content);
}

const BESIDE = 4;

/** The lines of the diff around the thread's line; null if nothing changed there. */
function hunkOf({ path, line, changes }: ReviewQuestion): string | null {
  const patch = changes.find((change) => change.path === path)?.patch ?? "";
  const shown: string[] = [];
  let at: number | null = null;
  for (const text of patch.split("\n")) {
    const start = /^@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})/.exec(text)?.[1];
    if (start !== undefined) at = Number(start);
    else if (at !== null && line !== null && /^[ +-]/.test(text)) {
      if (Math.abs(at - line) <= BESIDE) shown.push(text.slice(0, 300));
      if (!text.startsWith("-")) at += 1;
    }
  }
  return shown.some((text) => /^[+-]/.test(text)) ? shown.slice(0, 4 * BESIDE).join("\n") : null;
}

const SHOWN_DECISIONS = 3;

/** Decisions in the spec that mention the file, or a symbol that the question mentions. */
function decisionsOn({ path, text, spec }: ReviewQuestion): string[] {
  if (spec === null) return [];
  const names = text.match(/(?<=`)[^`\s()]{2,100}(?=(?:\(\))?`)|[a-z]\w*(?:_|[a-z](?=[A-Z]))\w+/gu) ?? [];
  const asked = [...(path === null ? [] : [path]), ...names];
  return parseSpec(spec)
    .decisions.filter(({ decision }) => asked.some((name) => decision.includes(name)))
    .slice(0, SHOWN_DECISIONS)
    .map(({ decision }) => decision.replaceAll(/\s*\((?:gap|finding|message)s? #?\d[^)]*\)/gi, ""));
}

const AROUND = 25;
const MOST_BYTES = 4 * 1024 * 1024;

/** Everything that the answer may be based on, in its current state. */
async function materialOf(
  question: SeenComment,
  under: UnderReview,
  facts: ReviewFacts,
  { db, specStore, repository, withCode }: QuestionDeps,
): Promise<ReviewQuestion> {
  const { path, line } = question;
  const { issue, request, run } = under;
  const spec = staysNeutral(issue) ? null : await storedSpec(issue.spec, specStore);
  const ran = run && (await runFacts(db, run.id)).iterations.at(-1);
  const code = await withCode(repository, async ({ gitDirectory }) => ({
    changes: await changesOf(gitDirectory, request, path),
    around: path === null || line === null ? null : await linesAround(gitDirectory, request, { path, line }),
  }));
  return {
    author: question.author,
    text: question.content,
    before: saidBefore(question, facts).map(({ author, body }) => ({ author, text: body })),
    path,
    line,
    ...code,
    steps: (await stepsOf(under, db)).map(({ order, description }) => `${order}. ${description}`),
    spec: spec && spec.content,
    checks: [
      ...(ran?.checks ?? []).map(({ command, outcome }) => `${command}: ${outcome}`),
      ...facts.checks.map(({ name, outcome }) => `check ${name}: ${outcome}`),
    ],
  };
}

async function changesOf(directory: string, { base, branch }: TaskRequest, first: string | null) {
  const range = `refs/heads/${base}...refs/heads/${branch}`;
  const options = ["--no-ext-diff", "--no-textconv", "--no-renames", "--unified=10"];
  const found = await git(directory, ["diff", ...options, range], { maxBytes: MOST_BYTES });
  if (found.code !== 0) return [];
  const files = found.stdout
    .toString("utf8")
    .split(/^(?=diff --git )/m)
    .flatMap((patch) => {
      const path = /^diff --git "?a\/(.{1,4096}?)"? "?b\/\1"?\r?$/m.exec(patch)?.[1];
      return path === undefined ? [] : [{ path, patch }];
    });
  return [...files.filter(({ path }) => path === first), ...files.filter(({ path }) => path !== first)];
}

async function linesAround(directory: string, { branch }: TaskRequest, { path, line }: { path: string; line: number }) {
  const found = await git(directory, ["show", `refs/heads/${branch}:${path}`], { maxBytes: MOST_BYTES });
  if (found.code !== 0) return null;
  const from = Math.max(1, line - AROUND);
  const lines = found.stdout
    .toString("utf8")
    .split("\n")
    .slice(from - 1, line + AROUND);
  return { path, from, lines: lines.map((each) => each.slice(0, 500)) };
}
