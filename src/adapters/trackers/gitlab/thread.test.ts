import { expect, test } from "vitest";
import * as answers from "./api-schemas.ts";
import { commentsOf } from "./thread.ts";

const at = "2026-01-01T00:00:00Z";

test("what is for members only, and what GitLab notes by itself, is no comment", () => {
  const note = (id: number, change: Record<string, unknown>) => ({
    ...{ id, body: `note ${id}`, author: { username: "ann" }, system: false, created_at: at, updated_at: at },
    ...change,
  });
  const notes = [note(1, {}), note(2, { internal: true }), note(3, { confidential: true }), note(4, { system: true })];
  const thread = answers.discussion.parse({ id: "t", notes });
  expect(commentsOf([thread]).map(({ id }) => id)).toEqual(["1"]);
});
