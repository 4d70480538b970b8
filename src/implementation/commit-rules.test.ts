import { expect, test } from "vitest";
import { planOf } from "../../test/support/run-fixture.ts";
import { WORK_SETTINGS } from "../../test/support/work-settings.ts";
import { withoutFile } from "../config/repository-file.ts";
import { rulesOf } from "./commit-rules.ts";
import { reviewedPaths } from "./run/workspace/protected-paths.ts";

test("a repository can ask for more review, also of what its operator exempts (R-WORK-11)", () => {
  const settings = { ...withoutFile({ mode: "implement", fastTrack: false }), reviewPaths: ["billing/**", "Makefile"] };
  const rules = (reviewPaths: readonly string[]) =>
    reviewedPaths(
      rulesOf(
        { settings: { ...settings, reviewPaths }, plan: { plan: planOf([]) } },
        { ...WORK_SETTINGS, reviewed: ["!Makefile"] },
      ),
    );
  const asked = rules(settings.reviewPaths);
  expect([asked("billing/tax.ts"), asked("Makefile"), asked("src/a.ts")]).toEqual(["listed", "listed", null]);
  expect(rules([])("Makefile")).toBeNull();
});
