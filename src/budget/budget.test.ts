import { describe, expect, test } from "vitest";
import { type Budgets, judgeBudgets, windowsOf } from "./budget.ts";

const ALL: Budgets = { issue: 5, repositoryDay: 20, workspaceMonth: 100, unpricedPerMillion: 5 };
const NOW = new Date("2026-12-31T23:30:00Z");

describe("the windows of budgets", () => {
  test("are the issue's life, the day and the month, in UTC", () => {
    expect(windowsOf(ALL, [], NOW)).toEqual([
      { budget: "issue", key: "1", since: null, ends: null, limitUsd: 5 },
      {
        budget: "workspace_month",
        key: "2026-12",
        since: new Date("2026-12-01T00:00:00Z"),
        ends: new Date("2027-01-01T00:00:00Z"),
        limitUsd: 100,
      },
      {
        budget: "repository_day",
        key: "2026-12-31",
        since: new Date("2026-12-31T00:00:00Z"),
        ends: new Date("2027-01-01T00:00:00Z"),
        limitUsd: 20,
      },
    ]);
  });

  test("leave out what is off, and what the operator has lifted in this very window", () => {
    const lifts = [
      { budget: "repository_day" as const, window: "2026-12-31", endedAt: NOW },
      { budget: "workspace_month" as const, window: "2026-11", endedAt: new Date("2026-11-30T00:00:00Z") },
    ];
    expect(windowsOf({ ...ALL, issue: "off" }, lifts, NOW).map((window) => window.budget)).toEqual(["workspace_month"]);
  });

  test("begin anew for the issue each time that the operator lets it go on", () => {
    const endedAt = new Date("2026-12-30T12:00:00Z");
    const [window] = windowsOf(ALL, [{ budget: "issue", window: "1", endedAt }], NOW);
    expect(window).toMatchObject({ key: "2", since: endedAt });
  });
});

describe("a verdict", () => {
  const spent = (...amounts: number[]) =>
    windowsOf(ALL, [], NOW).map((window, index) => ({ ...window, spentUsd: amounts[index] ?? 0 }));

  test("gives the least rest of all budgets", () => {
    expect(judgeBudgets(spent(1, 98, 19))).toEqual({ kind: "go", restUsd: 1 });
    expect(judgeBudgets([])).toEqual({ kind: "go", restUsd: null });
  });

  test("names the budget that holds the longest", () => {
    expect(judgeBudgets(spent(5, 100, 20))).toMatchObject({ kind: "stop", used: { budget: "issue" } });
    expect(judgeBudgets(spent(0, 0, 20))).toMatchObject({ kind: "stop", used: { budget: "repository_day" } });
  });

  test("a budget of nothing stops at once", () => {
    expect(judgeBudgets(spent(0).map((one) => ({ ...one, limitUsd: 0 })))).toMatchObject({ kind: "stop" });
  });
});
