import { expect, test } from "vitest";
import { orderOf, planOf } from "../../../../test/support/run-fixture.ts";
import type { ChangedFile } from "../../../domain/work.ts";
import { changedDependencies, newDependencies } from "./new-dependencies.ts";

function changed(path: string, change: ChangedFile["change"] = "modified"): ChangedFile {
  return { path, change, addedLines: 1, removedLines: 1 };
}

/** Files before and after the change. */
const reader = (files: Record<string, readonly [base: string | null, head: string | null]>) => ({
  read: async (path: string, at: "base" | "head") =>
    await Promise.resolve(files[path]?.[at === "base" ? 0 : 1] ?? null),
});

const planning = (description: string) => {
  const plan = planOf(["requirements.txt"]);
  return orderOf({ plan: { ...plan, plan_steps: plan.plan_steps.map((step) => ({ ...step, description })) } });
};

test("a new dependency is a concern by its name and version; one that the plan names is agreed to", async () => {
  const changes = [changed("requirements.txt"), changed("src/a.py")];
  const { read } = reader({ "requirements.txt": ["a==1\ngone==1\n", "a==2\nhttpx==0.28.0\nhttpcore==1.0.0\n"] });
  const told = await newDependencies({ order: planning("Add `httpx@0.28.0`."), facts: [], changes, read });
  expect(told).toMatchObject([
    { kind: "new dependency", path: "requirements.txt", agreed: true, names: ["httpx 0.28.0"] },
    { kind: "new dependency", path: "requirements.txt", agreed: false, names: ["httpcore 1.0.0"] },
  ]);
  const moved = reader({ "requirements.txt": ["a==1\n", "a==2\n"] });
  expect(await newDependencies({ order: planning(""), facts: [], changes, ...moved })).toEqual([]);
});

test("lock files are read where they changed; one that is too large or broken is told", async () => {
  const files = reader({
    "yarn.lock": [null, 'a@^1:\n  version "1.0.0"\n'],
    "go.mod": ["require example.org/a v1.0.0\n", "require example.org/a v1.1.0\n"],
    "go.sum": ["example.org/a v1.0.0 h1:x=\n", "example.org/a v1.1.0 h1:x=\n"],
    "web/package-lock.json": ["{}", "<<<<<<<"],
    "old/Cargo.lock": [null, null],
    "gone/requirements.txt": ["a==1\n", null],
  });
  const changes = [
    changed("yarn.lock", "added"),
    ...["go.mod", "go.sum", "web/package-lock.json", "old/Cargo.lock", "src/lock.ts"].map((path) => changed(path)),
    changed("gone/requirements.txt", "deleted"),
  ];
  expect(await changedDependencies(changes, files.read)).toMatchObject([
    { path: "yarn.lock", changes: [{ name: "a", before: [], after: ["1.0.0"] }] },
    { path: "go.mod", changes: [{ name: "example.org/a", before: ["v1.0.0"], after: ["v1.1.0"] }] },
    { path: "web/package-lock.json", changes: null },
    { path: "old/Cargo.lock", changes: null },
    { path: "gone/requirements.txt", changes: [{ name: "a", before: ["1"], after: [] }] },
  ]);
});
