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
  ["a deleted test", "-test/total.test.ts"],
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
