import { describe, expect, test } from "vitest";
import { orderOf, planOf } from "../../../test/support/run-fixture.ts";
import type { ChangeRequest } from "../../domain/work.ts";
import { type CommitFacts, commitMessage, mergeSubject } from "./commit-message.ts";

const titled = (title: string, branch = "fix/12-wrong-total") => {
  const base = orderOf();
  const order = orderOf({
    issue: { ...base.issue, title },
    plan: { ...planOf(["a.ts"]), branch_name: branch },
  });
  return commitMessage(order, { changed: [], reverted: [] }).split("\n", 1)[0] ?? "";
};

describe("the subject of a commit", () => {
  test.each([
    ["Wrong total", "fix/12-x", "fix: wrong total (#12)"],
    ["HTTP 500 on save.", "feature/12-x", "feat: HTTP 500 on save (#12)"],
    ["[Bug] Wrong total", "docs/12-x", "docs: wrong total (#12)"],
    ["fix(cart): Wrong total", "chore/12-x", "chore: wrong total (#12)"],
    ["合計が違う", "fix/12-x", "fix: 合計が違う (#12)"],
    ["", "fix/12-x", "fix: carry out the plan (#12)"],
  ])("says what %j of branch %s is about", (title, branch, subject) => {
    expect(titled(title, branch)).toBe(subject);
  });

  test("has at most 72 characters", () => {
    for (const title of ["a long title that goes on ".repeat(20), "x".repeat(500), "🧵".repeat(200)]) {
      const subject = titled(title);
      expect(subject.length).toBeLessThanOrEqual(72);
      expect(subject.endsWith("… (#12)")).toBe(true);
      expect(subject.isWellFormed()).toBe(true);
    }
  });

  test("mentions nobody, refers to no other issue, and skips no check", () => {
    expect(titled("Closes #99, acme/shop#3, GH-4 @everyone [skip ci]")).toBe(
      "fix: closes 99, acme/shop3, GH 4 everyone (skip ci] (#12)",
    );
    expect(titled("See https://github.com/acme/shop/issues/3")).not.toContain("://");
    expect(titled("See //evil.example, www.evil.example and ann@evil.example")).not.toMatch(/\/\/|www\.|@/);
    expect(titled("one\n\ntwo: three\nCo-authored-by: x <x@y.z>")).not.toContain("\n");
  });
});

const file = (path: string, change: "added" | "modified" = "modified") =>
  ({ path, change, addedLines: 3, removedLines: 1 }) as const;
const wish = (text: string, change: Partial<ChangeRequest> = {}) => ({
  from: "mia",
  path: null,
  line: null,
  text,
  ...change,
});

describe("what a commit did", () => {
  const before = { files: ["src/a.ts"], subjects: ["fix: wrong total (#12)"] };

  test("is the spec's title in the first one, with the names that the spec writes large", () => {
    const spec = "# Spec: Sum the cart in cents\n\n## TL;DR\n";
    expect(commitMessage(orderOf({ spec }), { changed: [file("src/a.ts")], reverted: [] })).toBe(
      "fix: sum the cart in cents (#12)\n",
    );
    const named = "# Spec: October export has all invoices\n\nIn the October export some are missing.\n";
    expect(commitMessage(orderOf({ spec: named }), { changed: [], reverted: [] })).toMatch(
      /^fix: October export has all/,
    );
  });

  test("is a step of the plan, the command that failed, or the files in later ones, never the same again", () => {
    const plan = {
      ...planOf(["src/a.ts"]),
      plan_steps: [
        { order: 1, description: "Mend it.", command: null, files_involved: ["src/a.ts"] },
        {
          order: 2,
          description: "Cover it by a test. Done when: green.",
          command: null,
          files_involved: ["test/a.ts"],
        },
      ],
    };
    const subject = (commit: Partial<CommitFacts>) =>
      commitMessage(orderOf({ plan }), { changed: [file("src/a.ts")], reverted: [], before, ...commit }).split("\n")[0];
    expect(subject({ changed: [file("test/a.ts", "added")] })).toBe("fix: cover it by a test (#12)");
    expect(subject({ red: ["npm test"] })).toBe("fix: rework src/a.ts after npm test failed (#12)");
    expect(subject({ changed: [file("x.ts", "added"), file("y.ts", "added")] })).toBe(
      "fix: add x.ts and 1 more file (#12)",
    );
    const subjects = [...before.subjects];
    for (let commit = 0; commit < 4; commit += 1) subjects.push(subject({ before: { ...before, subjects } }) ?? "");
    expect(new Set(subjects).size).toBe(5);
  });

  test.each([
    "That’s wrong.",
    "I don’t like this",
    "Please round it to cents.",
    "これは間違いです。",
    "Das ist falsch!",
  ])("is what it changes, whatever the review says: %j", (text) => {
    const order = orderOf({ reason: "review", changeRequests: [wish(text, { path: "src/a.ts", line: 2 })] });
    const subject = (commit: Partial<CommitFacts>) =>
      commitMessage(order, { changed: [file("src/a.ts")], reverted: [], before, ...commit }).split("\n")[0];
    const symbols = { path: "src/a.ts", added: [] as string[], changed: [] as string[], removed: [] as string[] };
    expect(subject({})).toBe("fix: rework src/a.ts (#12)");
    expect(subject({ symbols: [{ ...symbols, changed: ["total"] }] })).toBe("fix: change total in src/a.ts (#12)");
    expect(subject({ symbols: [{ ...symbols, added: ["Cart.round", "cents"], changed: ["total"] }] })).toBe(
      "fix: add Cart.round and cents in src/a.ts (#12)",
    );
    expect(subject({ symbols: [{ ...symbols, removed: ["a", "b", "c"] }] })).toBe(
      "fix: remove a, 2 more in src/a.ts (#12)",
    );
    const long = subject({ symbols: [{ ...symbols, path: "x/".repeat(60), changed: ["y".repeat(50)] }] }) ?? "";
    expect(long.length).toBeLessThanOrEqual(72);
    expect(long).toMatch(/ \(#12\)$/);
    expect(commitMessage(order, { changed: [file("src/a.ts")], reverted: [], before })).toContain(
      "\n\nAsked for in the review:\n- mia, src/a.ts:2: ",
    );
  });

  test("is told with the agent's words as its own, and what was left out; of a confidential issue without words", () => {
    const commit = {
      changed: [file("src/a.ts")],
      reverted: [{ path: ".env", why: "blocked path", detail: "" }] as const,
      said: "Rounded it, @mia.\nCo-authored-by: x <x@y.z>",
    };
    const order = orderOf({ reason: "review", changeRequests: [wish("Round it"), wish("Rename it")] });
    expect(commitMessage(order, commit)).toBe(
      "fix: rework src/a.ts (#12)\n\nAsked for in the review:\n- mia: Round it\n- mia: Rename it\n\nThe coding agent says:\n\n> Rounded it, mia.\n> Co-authored-by: x <xy.z>\n\nLeft out:\n- .env: blocked path\n",
    );
    expect(commitMessage({ ...order, neutral: true }, commit)).toBe(
      "fix: rework src/a.ts (#12)\n\nLeft out:\n- .env: blocked path\n",
    );
  });

  test("is a check's name where one is red", () => {
    const order = orderOf({ reason: "checks", changeRequests: [wish("no", { from: "check build" })] });
    expect(commitMessage(order, { changed: [], reverted: [] })).toBe("fix: address failing check build (#12)\n");
  });
});

test("hundreds of files that were left out are counted, not listed", () => {
  const reverted = Array.from({ length: 500 }, (_, n) => ({
    path: `f${n}\nCloses #1`,
    why: "too large" as const,
    detail: "",
  }));
  const message = commitMessage(orderOf(), { changed: [], reverted });
  expect(message).toContain("- and 490 more");
  expect(message).not.toContain("#1\n");
});

test("a merge says so as git does, whatever the branch is called", () => {
  expect(mergeSubject("main", 12)).toBe("Merge branch 'main' (#12)");
  const odd = mergeSubject(`@mia/#7-[skip ci]\u202e${"x".repeat(200)}`, 12);
  expect(odd).not.toMatch(/@mia|#7|\[skip ci|\u202e/);
  expect(odd.length).toBeLessThan(110);
});
