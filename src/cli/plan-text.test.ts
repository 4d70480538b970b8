import { expect, test } from "vitest";
import { fixPlan } from "../plan/fix-plan.ts";
import { triage } from "../plan/triage/triage.ts";
import { clock, planInput, triageInput } from "../../test/support/plan-input.ts";
import { lackLines, planText } from "./plan-text.ts";

test("the terminal says of a set-up that fails why, and how to fix it; doctor is named for what it finds", () => {
  const setup = { what: "setup" as const, name: "npm ci", why: "npm error network getaddrinfo EAI_AGAIN" };
  expect(lackLines([{ ...setup, cause: { kind: "hosts", hosts: ["registry.npmjs.org"] } }])).toBe(
    "Not ready yet\n  The set-up command npm ci fails on the default branch: npm error network getaddrinfo EAI_AGAIN. It tried to reach registry.npmjs.org, which isn’t allowed here. Relay’s operator can allow it in `work.network`.\n",
  );
  expect(lackLines([setup, { what: "key", name: "claude" }])).toMatch(
    /^Not ready yet \(relay doctor says how to fix it\)\n {2}The set-up .* other commands\.\n {2}The coding agent claude has no key/,
  );
  expect(lackLines([])).toBe("");
});

test("the terminal shows no branch, no files and no checks where nothing is to be built", async () => {
  const tasks = [{ title: "Build nothing", touchPoints: [], changesNothing: true, doneWhen: "", blockedBy: "" }];
  const spec = { path: "spec.md", sha256: "x", tasks };
  const triaged = await triage({ ...triageInput(), spec }, { clock });
  const { answer } = await fixPlan(planInput({}, { spec }), { clock });
  if (!triaged.answer.success || !answer.success) throw new Error("this was not planned");
  const text = planText({ triage: triaged.answer.data, plan: answer.data });
  expect(text).toContain("nothing is to be built");
  expect(text).not.toMatch(/^Files|^Checks|minutes|docs\/42/m);
});
