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

/**
 * What leaves elsewhere, or is stored to be shown, and the pass that its text goes through (R-SAFE-3, R-SAFE-7). A new way
 * out belongs here once it has one.
 */
const OUTLETS: readonly { what: RegExp; pass: RegExp; files: readonly string[] }[] = [
  { what: /insert into llm_evals/, pass: /keptJson\(/, files: ["storage/model-calls.ts"] },
  { what: /insert into audit_log/, pass: /keptCode\(/, files: ["storage/audit.ts"] },
  { what: /insert into cycles/, pass: /keptCode\(/, files: ["storage/cycles.ts"] },
  { what: /: Told\): Body/, pass: /keptCode\(/, files: ["notify/notices/compose.ts"] },
  { what: /\.registerTool\(/, pass: /keptJson\(/, files: ["server/mcp/tool.ts"] },
  { what: /apiHandler\(deps/, pass: /api\.use\(withoutSecrets\)/, files: ["server/api/api.ts"] },
  { what: /labels: labelsOf\(/, pass: /keptCode\(label\)/, files: ["implementation/pull-request/body.ts"] },
];

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

test.each(OUTLETS)("what leaves by $what goes through the pass", ({ what, pass, files: known }) => {
  const outlets = files().filter((path) => what.test(textOf(path)));
  expect(outlets.toSorted()).toEqual([...known].toSorted());
  expect(outlets.filter((path) => !pass.test(textOf(path)))).toEqual([]);
});
