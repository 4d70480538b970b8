import { expect, test } from "vitest";
import type { EventKind } from "../domain/event.ts";
import { mayHalt } from "./may-halt.ts";

test.each<[boolean, EventKind, string | null, boolean]>([
  [true, "closed", null, false],
  [true, "unassigned", null, false],
  [true, "commented", "Stop!", false],
  [true, "comment_edited", "No, the plan is wrong.", false],
  [false, "commented", "Stop!", true],
  [false, "commented", "Stopped, as asked.\n\n<!-- relay:stopped:1 -->", false],
  [false, "commented", "Yes, go ahead.", false],
  [false, "comment_deleted", "Stop!", false],
  [false, "reopened", null, false],
])("%s: %s %j, by a bot: %s", (halts, kind, text, actorIsBot) => {
  expect(mayHalt({ kind, text, actorIsBot })).toBe(halts);
});
