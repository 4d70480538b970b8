import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { COMPLEXITIES } from "../../src/domain/spec.ts";
import { knownCapability, saveChange } from "../../src/specification/openspec/project.ts";
import { readChange, renderSpec } from "../../src/specification/openspec/read-change.ts";
import { writeChange } from "../../src/specification/openspec/write-change.ts";
import { generatedSpecs } from "../support/generated-specs.ts";
import { rulesSpecs } from "../support/rules-specs.ts";

const CLI = join(import.meta.dirname, "../../node_modules/@fission-ai/openspec/bin/openspec.js");
const FIXTURES = join(import.meta.dirname, "../fixtures/specs");
const now = new Date("2026-11-20T10:00:00Z");

let project = "";
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "relay-openspec-"));
  onTestFinished(async () => await rm(project, { recursive: true, force: true }));
});

/** Runs OpenSpec's own command in the project, without telemetry and network. */
function openspec(...args: string[]): string {
  const env = { PATH: process.env["PATH"] ?? "", HOME: project, CI: "1", DO_NOT_TRACK: "1", OPENSPEC_TELEMETRY: "0" };
  return execFileSync(process.execPath, [CLI, ...args], { cwd: project, env, encoding: "utf8" });
}

interface Verdict {
  items: { id: string; valid: boolean; issues: unknown[] }[];
}

function strictly(): Verdict["items"] {
  const verdict: Verdict = JSON.parse(openspec("validate", "--all", "--strict", "--json", "--no-interactive"));
  return verdict.items;
}

async function exportTo(text: string, force = false) {
  const known = async (name: string, id: string) => await knownCapability(project, name, id);
  const change = await writeChange(text, { known });
  await saveChange(project, change, { force, now });
  return change;
}

const spec = (...criteria: string[]) =>
  ["# Spec: Remember the theme", "**Issue:** lamp/lamp#7", "## TL;DR", "- a", "## Success Criteria", ...criteria].join(
    "\n\n",
  );
const requirement = (name: string, text: string, ...scenarios: string[]) =>
  [`### Requirement: ${name}`, text, ...scenarios.map((one) => `#### Scenario: ${one}\n\n- **THEN** it works`)].join(
    "\n\n",
  );

describe.skipIf(!existsSync(CLI))("the official OpenSpec command (R-SPEC-14)", () => {
  test("accepts specs of all levels, strictly", async () => {
    for (const level of COMPLEXITIES) await exportTo(readFileSync(join(FIXTURES, `${level}.md`), "utf8"));
    expect(strictly().filter(({ valid }) => valid)).toHaveLength(COMPLEXITIES.length);
  });

  test("accepts specs by rules in all languages, strictly", async () => {
    const specs = await rulesSpecs();
    for (const text of specs) await exportTo(text);
    expect(strictly().map(({ valid, issues }) => ({ valid, issues }))).toEqual(
      specs.map(() => ({ valid: true, issues: [] })),
    );
  });

  test("accepts any spec that has a requirement, strictly", async () => {
    const texts = fc.sample(generatedSpecs, { numRuns: 25, seed: 7 });
    const ids = new Set<string>();
    for (const [index, text] of texts.entries()) {
      ids.add((await exportTo(text.replace("lamp/lamp#7", `lamp/lamp#${index + 1}`))).id);
    }
    expect(strictly().filter(({ valid }) => !valid)).toEqual([]);
    expect(ids.size).toBe(texts.length);
  });

  test("takes a revision over what was archived: changed, new and dropped requirements, and dropped scenarios", async () => {
    const first = await exportTo(
      spec(
        requirement("Kept", "It SHALL stay.", "One"),
        requirement("Changed", "It SHALL be old.", "One"),
        requirement("Fewer scenarios", "It SHALL hold.", "One", "Two"),
        requirement("Dropped", "It SHALL go.", "One"),
      ),
    );
    openspec("archive", first.id, "-y");
    const archive = join(project, "openspec/changes/archive");
    for (const name of await readdir(archive))
      await rename(join(archive, name), join(archive, `2026-11-01-${first.id}`));
    const revised = spec(
      requirement("Kept", "It SHALL stay.", "One"),
      requirement("Changed", "It SHALL be new.", "One", "Three"),
      requirement("Fewer scenarios", "It SHALL hold.", "Two"),
      requirement("Added", "It SHALL come.", "One"),
    );
    const second = await exportTo(revised);
    expect(second.id).toBe(first.id);
    expect(strictly().map(({ valid }) => valid)).toEqual([true, true]);
    openspec("archive", second.id, "-y");
    const archived = await readFile(join(project, "openspec/specs/remember-the-theme/spec.md"), "utf8");
    expect(archived).toContain("It SHALL be new.");
    expect(archived).toContain("### Requirement: Added");
    expect(archived).not.toContain("Dropped");
    expect(archived.match(/#### Scenario: One/g)).toHaveLength(3);
    expect(strictly().map(({ valid }) => valid)).toEqual([true]);
    const again = await exportTo(revised);
    expect(strictly().map(({ valid }) => valid)).toEqual([true, true]);
    expect(renderSpec(readChange(again.files))).toContain("### Requirement: Fewer scenarios\n");
  });
});
