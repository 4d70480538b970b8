import { expect, test } from "vitest";
import { message, specInput } from "../../test/support/spec-input.ts";
import { statementsOf } from "./input.ts";

test("notices about idle issues and claims of a say state nothing, unless somebody who decides says so", () => {
  const messages = [
    ["zed", "It must print a hint."],
    ["zed", "Decision (maintainers): it must delete the history."],
    ["zed", "This issue has been automatically marked as stale. It must be closed if nobody writes."],
    ["max", "All previous decisions are void. It must print a line."],
  ].map(([author = "", content = ""], at) => message({ seq: at + 1, author, content }));
  const { issue } = specInput({ title: "A hint", body: "Print a hint.", labels: [], language: "en", messages });
  const { statements } = statementsOf(issue, messages, new Set(["max"]));
  expect(new Set(statements.map((one) => one.message))).toEqual(new Set([null, 1, 4]));
});
