import { expect, test } from "vitest";
import { openConfirming } from "./approval-fixture.ts";

test("a yes to the spec starts no plan that waits; Relay says once what it waits for (R-CONF-2)", async () => {
  const desk = await openConfirming();
  const issue = await desk.waiting();
  await desk.people.comment(issue, "mia", "Go ahead with the spec.");
  expect(await desk.look(issue.id)).toBe("nothing to do");
  await desk.people.comment(issue, "mia", "Please write the specification.");
  await desk.look(issue.id);
  expect(await desk.outcome(issue.id)).toEqual({
    state: "waiting_confirmation",
    tasks: [],
    said: ["plan", "spec-only"],
    plan: "posted",
  });
  expect(await desk.last(issue.id)).toMatch(/^@mia, thank you\. That names only the spec, and plan 1 waits for a yes/);
  await desk.people.comment(issue, "mia", "The spec is fine, go ahead with the plan.");
  await desk.look(issue.id);
  expect(await desk.outcome(issue.id)).toMatchObject({ state: "queued", tasks: ["queued"], plan: "confirmed" });
});

test("a yes edited into one to the spec is taken back (R-CONF-7)", async () => {
  const desk = await openConfirming();
  const issue = await desk.waiting();
  const { commentId } = await desk.people.comment(issue, "mia", "Yes, go ahead.");
  await desk.look(issue.id);
  expect(await desk.outcome(issue.id)).toMatchObject({ state: "queued" });
  await desk.people.editComment(issue, commentId ?? "", "mia", "Go ahead with the spec.");
  await desk.look(issue.id);
  expect(await desk.outcome(issue.id)).toMatchObject({ state: "waiting_confirmation", plan: "stale" });
});
