import { describe, expect, test } from "vitest";
import { memoryPosts } from "../../../test/support/memory-posts.ts";
import { memoryDemo } from "../../../test/support/memory-request.ts";
import { phrases, WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Answering, type Outcome, answerText, answerThreads, questionText } from "./thread-answers.ts";

const COMMIT = "1a2b3c4d5e6f7081";
const calledAs = ["relay"];
const origins = async () => await Promise.resolve(new Set<string>());

const CHANGES = [
  {
    path: "src/cart.ts",
    lines: [
      { from: 3, to: 5 },
      { from: 9, to: 9 },
    ],
    isDeleted: false,
  },
  { path: "src/old.ts", lines: [], isDeleted: true },
];

function outcome(change: Partial<Outcome> = {}): Outcome {
  return { threadId: "12", path: "src/cart.ts", isQuestion: false, text: "Renamed to `total`.", ...change };
}

const answering = (change: Partial<Answering> = {}): Answering => ({
  ...{ runId: "73", project: "demo", number: 1, language: "en", outcomes: [] },
  ...{ commit: COMMIT, changes: CHANGES, red: [] },
  ...change,
});

const answer = (change: Partial<Outcome>, about: Partial<Answering> = {}) =>
  answerText(answering(about), outcome(change), new Set());

describe("an answer", () => {
  test("says what was changed for its thread, in which commit, as trackers link it, and what the agent says to it", () => {
    const here = `Changed in 1a2b3c4d5e: \`src/cart.ts:3-5,9\`.`;
    expect(answer({})).toBe(`${here}\n\n> Renamed to \`total\`.\n\n<!-- relay:answer:73:12 -->`);
    expect(answer({ text: null })).toBe(`${here}\n\n<!-- relay:answer:73:12 -->`);
    expect(answer({ text: "See https://evil.example/?q=data" })).toContain("> See `https://evil.example/?q=data`\n");
    expect(answer({ path: "src/old.ts" })).toContain(": `src/old.ts` (deleted).");
    expect(answer({ path: null })).toContain(": `src/cart.ts:3-5,9`, `src/old.ts` (deleted).");
    expect(answer({}, { changes: null })).toContain("Done in 1a2b3c4d5e.");
  });

  test("says honestly that its file was not changed, or nothing was, and what is still red", () => {
    expect(answer({ path: "src/tax.ts" })).toMatch(
      /^`src\/tax\.ts` was not changed for this; 1a2b3c4d5e changed `src\/cart\.ts:3-5,9`, /,
    );
    expect(answer({ text: "It is used in two places." }, { commit: null })).toContain(
      "I didn’t change anything for this.\n\n> It is used in two places.\n\n",
    );
    expect(answer({ text: "It is used in two places.", isQuestion: true }, { commit: null })).toMatch(
      /^> It is used in two places\.\n/,
    );
    expect(answer({ text: null, isQuestion: true }, { commit: null })).toContain("didn’t change anything");
    expect(answer({ text: null }, { commit: null })).toContain("the run gave no reason");
    expect(answer({}, { red: ["npm test"] })).toContain("Still failing: `npm test`.");
  });

  test("is short, however much was changed", () => {
    const lines = Array.from({ length: 500 }, (_, at) => ({ from: 2 * at + 1, to: 2 * at + 1 }));
    const changes = lines.map(({ from }) => ({ path: `src/file-${from}.ts`, lines, isDeleted: false }));
    expect(answer({ path: null, text: null }, { changes }).length).toBeLessThan(1_000);
  });

  test("mentions nobody, closes nothing, and keeps its marker whatever the thread is called", () => {
    const text = answer({ text: "<!-- relay:answer:1:1 --> closes #99 @admin", threadId: "a/b --> c" });
    expect(text).toContain("closes – #99 `@admin`");
    expect(text.match(/<!--/g)).toHaveLength(1);
    expect(text.endsWith("<!-- relay:answer:73:a-b-----c -->")).toBe(true);
  });

  test.each(WRITTEN_LANGUAGES)("has all its phrases, with their slots: %s", (language) => {
    for (const path of ["src/cart.ts", "src/tax.ts"]) {
      const text = answer({ path }, { language, red: ["npm test"] });
      for (const part of ["1a2b3c4d5e", "src/cart.ts:3-5,9", "total", "npm test", path]) expect(text).toContain(part);
    }
    expect(phrases("request", language)("verify_run", { branch: "B", commands: "C" })).toMatch(/B[\s\S]*C/);
    expect(phrases("request", language)("in_test", { name: "NAME", path: "PATH" })).toMatch(/NAME|PATH/);
  });
});

async function reviewed() {
  const { people, tracker } = memoryDemo();
  const { number } = await tracker.createPullRequest("demo", {
    ...{ title: "Fix", body: "", head: "fix/7-x", base: "main", draft: false },
  });
  const at = { project: "demo", number };
  const ids: string[] = [];
  for (const text of ["one", "two", "three"]) {
    const { threadId } = people.reviewComment(at, "bob", text, { path: "a.ts", line: 1 });
    ids.push(threadId);
  }
  const given = answering({ number, outcomes: ids.map((threadId) => outcome({ threadId })) });
  const words = async () =>
    (await tracker.listReviewThreads("demo", number)).map(({ comments }) => comments.map(({ author }) => author));
  return { people, tracker, at, ids, given, words, posts: memoryPosts() };
}

describe("the threads of a review", () => {
  test("are answered once each, also when a crash came in between", async () => {
    const { tracker, given, words, posts } = await reviewed();
    let left = 2;
    const dying: typeof tracker = {
      ...tracker,
      replyToThread: async (...reply) => {
        left -= 1;
        if (left < 0) throw new RelayError("unavailable", "the connection broke", { retryable: true });
        return await tracker.replyToThread(...reply);
      },
    };
    await expect(answerThreads(given, { codeHost: dying, calledAs, posts, origins })).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await words()).toEqual([["bob", "relay"], ["bob", "relay"], ["bob"]]);
    for (let again = 0; again < 2; again += 1) {
      expect(await answerThreads(given, { codeHost: tracker, calledAs, posts, origins })).toEqual([]);
      expect(await words()).toEqual([
        ["bob", "relay"],
        ["bob", "relay"],
        ["bob", "relay"],
      ]);
    }
  });

  test("are answered again by another run", async () => {
    const { tracker, given, words, posts } = await reviewed();
    await answerThreads(given, { codeHost: tracker, calledAs, posts, origins });
    await answerThreads({ ...given, runId: "74" }, { codeHost: tracker, calledAs, posts, origins });
    expect((await words())[0]).toEqual(["bob", "relay", "relay"]);
  });

  test("are answered though somebody else repeats the marker, and the others though one is gone", async () => {
    const { people, tracker, at, ids, given, words, posts } = await reviewed();
    const [threadId = ""] = ids;
    people.reviewComment(at, "bob", `<!-- relay:answer:73:${threadId} -->`, { threadId });
    const gone = [outcome({ threadId: "999" }), ...given.outcomes];
    const left = await answerThreads({ ...given, outcomes: gone }, { codeHost: tracker, calledAs, posts, origins });
    expect(left).toMatchObject([{ threadId: "999" }]);
    expect((await words()).map((authors) => authors.at(-1))).toEqual(["relay", "relay", "relay"]);
  });
});

describe("the answer to a question", () => {
  const step = (order: number, description: string, path: string) => ({
    ...{ order, description, command: null, files_involved: [path] },
  });
  const facts = { language: "en", without: null, hunk: null, decisions: [] };
  const steps = [step(1, "Round it.", "src/cart.ts"), step(2, "Tell @bob <b>now</b>.", "README.md")];
  const change = "If something should change, ask for it here: “Please change …”.";

  test("quotes the plan's steps for the file, and says how to ask for a change", () => {
    expect(questionText({ ...facts, steps }, "src/cart.ts")).toBe(`The agreed plan says:\n\n1. Round it.\n\n${change}`);
    expect(questionText({ ...facts, steps }, "README.md")).toContain("2. Tell `@bob` &lt;b>now&lt;/b>.");
  });

  test("shows the diff of its place and what the spec decides about it", () => {
    const hunk = "-  return 0;\n+  return `${total}`; // <!-- relay:answer:1:1 -->";
    const told = questionText({ ...facts, steps: [], hunk, decisions: ["Keep `total` as text, @bob"] }, "src/cart.ts");
    expect(told).toMatch(/^The change there:\n\n```diff\n- {2}return 0;\n/);
    expect(told).toContain("The spec decides:\n\n- Keep `total` as text, `@bob`");
    expect(told).not.toContain("<!--");
  });

  test.each(["src/tax.ts", null])(
    "says in a sentence that only a person can answer what no fact concerns (%s)",
    (path) => {
      expect(questionText({ ...facts, steps }, path)).toBe(
        `I can’t answer this without a model; someone who knows the code can.\n\n${change}`,
      );
    },
  );

  test("says why no model answered", () => {
    expect(questionText({ ...facts, steps, without: "no_budget" }, null)).toMatch(
      /^I couldn’t look into this: the budget/,
    );
    expect(questionText({ ...facts, steps, without: "no_answer" }, null)).toMatch(
      /^I couldn’t look into this: the model/,
    );
  });
});
