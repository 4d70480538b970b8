import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = join(import.meta.dirname, "../src");

/**
 * Who writes to trackers, and how its text was made safe (R-SAFE-7). A new place belongs here once its text goes through
 * `safeComment` with the origins of `originsIn`.
 */
const WRITERS: Readonly<Record<string, string>> = {
  "notify/post-once.ts": "safeComment",
  "notify/update-status.ts": "safeComment",
  "planner/actions/execute.ts": "safeComment",
  "plan/post-plan.ts": "safeComment",
  "implementation/pull-request/thread-answers.ts": "safeComment",
  "implementation/pull-request/open-request.ts": "the text of pull-request/body.ts, and what people added to it",
  "implementation/back-to-draft.ts": "no text",
  "approval/retire-plan.ts": "safeComment, before the text as it was posted",
  "approval/plan-comment.ts": "the text as it was posted",
  "approval/stop-request.ts": "the text as it was posted",
};

const CALL = /\.(?:createComment|updateComment|replyToThread|commentOn|createPullRequest|updatePullRequest)\(/;

function files(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("adapters/"),
  );
}

const textOf = (path: string) => readFileSync(join(SRC, path), "utf8");

test("whoever writes to a tracker is known, and makes its text safe", () => {
  const writers = files().filter((path) => CALL.test(textOf(path)));
  expect(writers.toSorted()).toEqual(Object.keys(WRITERS).toSorted());
  const forgetful = writers.filter(
    (path) => WRITERS[path]?.startsWith("safeComment") && !textOf(path).includes("safeComment("),
  );
  expect(forgetful).toEqual([]);
});
