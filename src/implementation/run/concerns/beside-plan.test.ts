import { expect, test } from "vitest";
import { orderOf, planOf } from "../../../../test/support/run-fixture.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import { besidePlan } from "./beside-plan.ts";

function changed(...files: string[]): ChangedFile[] {
  return files.map((file) => {
    const change = file.startsWith("+") ? "added" : file.startsWith("-") ? "deleted" : "modified";
    return { path: file.slice(1), change, addedLines: 1, removedLines: 1 };
  });
}

function concernsOf(planned: readonly string[], changes: ChangedFile[]): string[] {
  return besidePlan({ order: orderOf({ plan: planOf(planned) }), changes }).map(({ kind, path }) =>
    path === null ? kind : `${kind}: ${path}`,
  );
}

test("files that the plan names are no concern; any other is", () => {
  expect(concernsOf(["src/total.ts", "src/cart.ts"], changed("~src/total.ts"))).toEqual([]);
  expect(concernsOf(["src/total.ts"], changed("~src/total.ts", "~src/login.ts", "+src/new.ts"))).toEqual([
    "not planned: src/login.ts",
    "not planned: src/new.ts",
  ]);
});

test.each([
  ["a new test", "+test/anything.test.ts"],
  ["the test of a planned file", "~test/total.test.ts"],
  ["the test of a planned file in Python", "~tests/test_total.py"],
  ["the test of a planned file in Java", "~src/test/java/TotalTest.java"],
  ["a changelog", "~CHANGELOG.md"],
  ["an entry of a changelog", "+.changeset/brave-cats-sing.md"],
  ["the lock file of a planned manifest", "~package-lock.json"],
])("%s goes with the plan", (_name, file) => {
  expect(concernsOf(["src/total.ts", "package.json"], changed("~src/total.ts", file))).toEqual([]);
});

test.each([
  ["another test", "~test/login.test.ts"],
  ["a lock file without its manifest", "~web/package-lock.json"],
])("%s does not", (_name, file) => {
  expect(concernsOf(["src/total.ts", "package.json"], changed("~src/total.ts", file))).toEqual([
    `not planned: ${file.slice(1)}`,
  ]);
});

test("a change without any planned file is told, also where it only goes with the plan", () => {
  expect(concernsOf(["src/total.ts"], changed("~src/login.ts"))).toEqual([
    "no planned file",
    "not planned: src/login.ts",
  ]);
  expect(concernsOf(["src/total.ts"], changed("+test/total.test.ts"))).toEqual(["no planned file"]);
  expect(concernsOf([], changed("~src/login.ts"))).toEqual([]);
});

test("a change that is much more than its plan is told by its figures", () => {
  const many = changed("~src/total.ts", ...Array.from({ length: 36 }, (_, n) => `+src/new${n}.ts`));
  const order = orderOf({ plan: planOf(["src/total.ts", "src/cart.ts", "src/tax.ts"]) });
  expect(besidePlan({ order, changes: many })[0]).toMatchObject({
    kind: "much more",
    numbers: { files: 37, lines: 74, planned: 3 },
  });
  const long: ChangedFile[] = [{ path: "src/total.ts", change: "modified", addedLines: 2_000, removedLines: 0 }];
  expect(besidePlan({ order, changes: long })).toMatchObject([{ kind: "much more" }]);
  const lock: ChangedFile[] = [
    ...changed("~src/total.ts"),
    { path: "sub/yarn.lock", change: "modified", addedLines: 2_000, removedLines: 0 },
  ];
  expect(besidePlan({ order, changes: lock })).toMatchObject([{ kind: "not planned" }]);
});

test("deletions that the plan does not say are told, moves and planned ones are not", () => {
  const plan = planOf(["src/total.ts", "src/old.ts", "src/kept.ts"]);
  const file_changes = plan.file_changes.map((file) =>
    file.path === "src/old.ts" ? { ...file, operation: "DELETE" as const } : file,
  );
  const order = orderOf({ plan: { ...plan, file_changes } });
  const changes = changed("~src/total.ts", "-src/old.ts", "-src/kept.ts", "-a/moved.ts", "+b/moved.ts", "-a/gone.ts");
  expect(besidePlan({ order, changes }).filter(({ kind }) => kind === "deleted")).toMatchObject([
    { path: "src/kept.ts" },
    { path: "a/gone.ts" },
  ]);
});
