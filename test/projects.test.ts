import { readFileSync, readdirSync } from "node:fs";
import { join, matchesGlob, resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import config from "../vitest.config.ts";

const root = resolve(import.meta.dirname, "..");
const projects = z
  .array(
    z.object({
      test: z.object({ name: z.string(), include: z.array(z.string()), exclude: z.array(z.string()).default([]) }),
    }),
  )
  .parse(config.test?.projects)
  .map((project) => project.test);
const files = ["src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `${folder}/${file}`),
);

test("every test file runs in exactly one project", () => {
  const matches = (file: string, globs: string[]) => globs.some((glob) => matchesGlob(file, glob));
  const wrong = files
    .map((file) => ({
      file,
      in: projects
        .filter(({ include, exclude }) => matches(file, include) && !matches(file, exclude))
        .map((one) => one.name),
    }))
    .filter((one) => one.in.length !== 1);
  expect(files.length).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
});

test("every project runs in exactly one of the scripts that CI calls", () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const run = [scripts["test"], scripts["test:landing"], scripts["test:e2e"]].flatMap((script) =>
    [...(script ?? "").matchAll(/--project (\w+)/g)].map(([, name]) => name),
  );
  expect(run).toHaveLength(projects.length);
  expect(new Set(run)).toEqual(new Set(projects.map(({ name }) => name)));
  const ci = readFileSync(join(root, ".ci/run"), "utf8");
  expect(ci).toMatch(/^suite \d+m npm test$/m);
  expect(ci).toMatch(/^suite \d+m npm run test:landing$/m);
  expect(ci).toMatch(/all \] \|\| suite \d+m npm run test:e2e$/m);
});
