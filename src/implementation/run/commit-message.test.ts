import { describe, expect, test } from "vitest";
import { orderOf, planOf } from "../../../test/support/run-fixture.ts";
import { commitMessage, mergeSubject } from "./commit-message.ts";

const titled = (title: string, branch = "fix/12-wrong-total") => {
  const base = orderOf();
  const order = orderOf({
    issue: { ...base.issue, title },
    plan: { ...planOf(["a.ts"]), branch_name: branch },
  });
  return commitMessage(order, { number: 1, changed: [], reverted: [] }).split("\n", 1)[0] ?? "";
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
    expect(titled("one\n\ntwo: three\nCo-authored-by: x <x@y.z>")).not.toContain("\n");
  });
});

test("the body lists what was changed and what was not taken in", () => {
  const message = commitMessage(orderOf(), {
    number: 2,
    changed: [{ path: "src/a.ts", change: "modified", addedLines: 3, removedLines: 1 }],
    reverted: [{ path: ".env", why: "blocked path", detail: "" }],
  });
  expect(message).toBe(
    "fix: wrong total (#12)\n\nWork on the plan, iteration 2.\n\nChanged:\n- modified src/a.ts (+3 -1)\n\nNot taken in:\n- .env: blocked path\n",
  );
});

test("hundreds of files are counted, not listed", () => {
  const changed = Array.from({ length: 500 }, (_, n) => ({
    path: `f${n}\nCloses #1`,
    change: "added" as const,
    addedLines: 1,
    removedLines: 0,
  }));
  const message = commitMessage(orderOf(), { number: 1, changed, reverted: [] });
  expect(message).toContain("- and 480 more");
  expect(message).not.toContain("#1\n");
});

test("a merge says so as git does, whatever the branch is called", () => {
  expect(mergeSubject("main", 12)).toBe("Merge branch 'main' (#12)");
  const odd = mergeSubject(`@mia/#7-[skip ci]\u202e${"x".repeat(200)}`, 12);
  expect(odd).not.toMatch(/@mia|#7|\[skip ci|\u202e/);
  expect(odd.length).toBeLessThan(110);
});
