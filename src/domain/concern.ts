import { z } from "zod";
import { RISKS, type Risk } from "./plan.ts";

/**
 * What can be a concern in a change (R-WORK-11, R-WORK-12), in the order of requests: the gravest first. Each has its
 * words in the catalogue `concerns`, under its name with `_` for spaces, and its weight below.
 */
const CONCERN_KINDS = [
  "scan failed",
  "agent killed",
  "no planned file",
  "check program",
  "check does nothing",
  "counts contradict",
  "no tests told",
  "fewer tests",
  "tests missing",
  "test ends run",
  "acts under test",
  "fix unproven",
  "assertion void",
  "test setup",
  "test alone",
  "test skipped",
  "test removed",
  "assertion removed",
  "assertion inverted",
  "check weaker",
  "expectation changed",
  "test rewritten",
  "test skipped sometimes",
  "more skipped",
  "new test skipped",
  "unproven",
  "much more",
  "deleted",
  "look-alike",
  "opened",
  "listed",
  "submodule",
  "agent instructions",
  "owners",
  "bots",
  "checks",
  "vendored",
  "dependencies",
  "new dependency",
  "dependency versions",
  "build",
  "toolchain",
  "policies",
  "dot folder",
  "link",
  "executable",
  "not executable",
  "binary",
  "not planned",
] as const;
export const concernKind = z.enum(CONCERN_KINDS);
export type ConcernKind = z.infer<typeof concernKind>;

interface Weight {
  /** The least risk of a change with it. */
  risk: Risk;
  /** Whether a person must look before the change may be merged. */
  draft: boolean;
  /** Whether it compares with the plan, of which the request of a confidential issue tells nothing (R-SAFE-11). */
  ofPlan?: true;
}

const WEIGHTS: Record<ConcernKind, Weight> = {
  "scan failed": { risk: "HIGH", draft: true },
  "agent killed": { risk: "MEDIUM", draft: false },
  "no planned file": { risk: "HIGH", draft: true, ofPlan: true },
  "check program": { risk: "HIGH", draft: true },
  "check does nothing": { risk: "HIGH", draft: true },
  "counts contradict": { risk: "HIGH", draft: true },
  "no tests told": { risk: "HIGH", draft: true },
  "fewer tests": { risk: "HIGH", draft: true },
  "tests missing": { risk: "HIGH", draft: true },
  "test ends run": { risk: "HIGH", draft: true },
  "acts under test": { risk: "HIGH", draft: true },
  "fix unproven": { risk: "MEDIUM", draft: true },
  "assertion void": { risk: "HIGH", draft: true },
  "test setup": { risk: "HIGH", draft: true },
  "test alone": { risk: "HIGH", draft: true },
  "test skipped": { risk: "HIGH", draft: true },
  "test removed": { risk: "MEDIUM", draft: true },
  "assertion removed": { risk: "MEDIUM", draft: true },
  "assertion inverted": { risk: "MEDIUM", draft: true },
  "check weaker": { risk: "MEDIUM", draft: true },
  "expectation changed": { risk: "MEDIUM", draft: true },
  "test rewritten": { risk: "MEDIUM", draft: true },
  "test skipped sometimes": { risk: "MEDIUM", draft: true },
  "more skipped": { risk: "MEDIUM", draft: false },
  "new test skipped": { risk: "LOW", draft: false },
  unproven: { risk: "LOW", draft: false },
  "much more": { risk: "HIGH", draft: true, ofPlan: true },
  deleted: { risk: "HIGH", draft: true, ofPlan: true },
  "look-alike": { risk: "HIGH", draft: true },
  opened: { risk: "HIGH", draft: true },
  listed: { risk: "MEDIUM", draft: true },
  submodule: { risk: "HIGH", draft: true },
  "agent instructions": { risk: "HIGH", draft: true },
  owners: { risk: "HIGH", draft: true },
  bots: { risk: "HIGH", draft: true },
  checks: { risk: "HIGH", draft: true },
  vendored: { risk: "MEDIUM", draft: true },
  dependencies: { risk: "MEDIUM", draft: true },
  "new dependency": { risk: "MEDIUM", draft: false },
  "dependency versions": { risk: "MEDIUM", draft: false },
  build: { risk: "MEDIUM", draft: true },
  toolchain: { risk: "MEDIUM", draft: true },
  policies: { risk: "MEDIUM", draft: true },
  "dot folder": { risk: "MEDIUM", draft: true },
  link: { risk: "MEDIUM", draft: false },
  executable: { risk: "MEDIUM", draft: false },
  "not executable": { risk: "MEDIUM", draft: false },
  binary: { risk: "MEDIUM", draft: false },
  "not planned": { risk: "MEDIUM", draft: false, ofPlan: true },
};

/** What a person should look at in a change: facts, whose words are in the catalogue. */
export const concernSchema = z.object({
  kind: concernKind,
  /** The file, or the folder of many; null for the change as a whole. */
  path: z.string().nullable(),
  /** Whether the plan says it, so that people agreed to it: it is named, but raises no risk and makes no draft. */
  agreed: z.boolean(),
  /** What of the file it is, as the code calls it: tests, scripts, commands. */
  names: z.array(z.string()),
  /** Slots of its words. */
  numbers: z.record(z.string(), z.number()),
});
export type Concern = z.infer<typeof concernSchema>;

/** A concern of that kind; all else is as in most. */
export function concern(kind: ConcernKind, facts: Partial<Omit<Concern, "kind">>): Concern {
  return { kind, path: null, agreed: false, names: [], numbers: {}, ...facts };
}

/** The concerns by kind, the gravest kind first. */
export function byKind(concerns: readonly Concern[]): { kind: ConcernKind; all: Concern[] }[] {
  return CONCERN_KINDS.flatMap((kind) => {
    const all = concerns.filter((one) => one.kind === kind);
    return all.length === 0 ? [] : [{ kind, all }];
  });
}

/** The risk of a change: the plan's, or that of its gravest concern, which is then `because` (R-WORK-11). */
export function riskOf(planned: Risk, concerns: readonly Concern[]): { risk: Risk; because: Concern | null } {
  const raising = byKind(concerns.filter(({ agreed }) => !agreed)).flatMap(({ all }) => all);
  return raising.reduce<{ risk: Risk; because: Concern | null }>(
    (most, one) =>
      RISKS.indexOf(WEIGHTS[one.kind].risk) > RISKS.indexOf(most.risk)
        ? { risk: WEIGHTS[one.kind].risk, because: one }
        : most,
    { risk: planned, because: null },
  );
}

/** Whether a person must look at the change before it may be merged: its request is a draft. */
export function needsPerson(concerns: readonly Concern[]): boolean {
  return concerns.some(({ kind, agreed }) => !agreed && WEIGHTS[kind].draft);
}

/** Whether the code itself may have made up what its tests are said to have done: nothing is claimed of them. */
export function mayForge(concerns: readonly Concern[]): boolean {
  return concerns.some(({ kind }) => kind === "acts under test" || kind === "test ends run");
}

/** The concerns of a change that those of an earlier state of it did not have: of their kind, file and names. */
export function newIn(concerns: readonly Concern[], earlier: readonly Concern[]): Concern[] {
  return concerns.filter(({ kind, path, names, agreed }) => {
    const known = earlier.filter((one) => one.kind === kind && one.path === path && (agreed || !one.agreed));
    return known.length === 0 || names.some((name) => !known.some((one) => one.names.includes(name)));
  });
}

/** Whether the concern compares with the plan. */
export function isOfPlan({ kind }: Concern): boolean {
  return WEIGHTS[kind].ofPlan === true;
}
