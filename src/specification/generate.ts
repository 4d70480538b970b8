import type { Complexity, SpecMetadata } from "../domain/spec.ts";
import { keptText } from "../domain/text/clean-text.ts";
import type { Log } from "../lib/log.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { withoutEvidence } from "../domain/spec-document/evidence-section.ts";
import type { SpecDraft, SpecGenerator, SpecInput } from "./generator.ts";
import { leastChange } from "./revision/least-change.ts";
import { type Reasons, alsoMending, reasonsIn } from "./revision/reasons.ts";
import { unaskedWarning } from "./revision/reconcile.ts";
import type { SpecProblem } from "./validate/rules.ts";
import type { Validation } from "./validate/validate.ts";
import { sha256Of } from "../lib/sha256.ts";

/** Attempts of the generator if it fails to produce a draft (R-SPEC-3). */
const ATTEMPTS = 3;
/** Corrections of a draft that the validator rejected (R-SPEC-7). */
const CORRECTIONS = 2;
const BULLETS = { least: 5, most: 10 };

/** A spec with the metadata of R-SPEC-8. */
export interface GeneratedSpec extends SpecDraft {
  validationStatus: "valid" | "partial";
  problems: SpecProblem[];
  metadata: SpecMetadata & { sha256: string; validation_status: "valid" | "partial"; complexity: Complexity };
}

export interface GenerateDeps {
  generator: SpecGenerator;
  /** Adds the evidence to what was written. */
  finish: (markdown: string) => string | Promise<string>;
  validate: (draft: SpecDraft) => Promise<Validation>;
  log: Log;
}

interface Checked {
  /** As it was written. */
  draft: SpecDraft;
  /** With its evidence; null for the stored one. */
  markdown: string | null;
  validation: Validation;
  problems: SpecProblem[];
  /** Only for a generator that takes warnings. */
  warnings: SpecProblem[];
}

/**
 * Has a spec written, validated, and corrected with exactly the rules that failed. If it still fails, the version that
 * violates the fewest rules is kept as `partial` (R-SPEC-7). A generator that takes warnings gets them as well, and a
 * valid spec goes back once because of them. A revision is the least change of the existing spec (R-SPEC-12); if nothing but
 * date and Changelog differs, that one is returned (R-SPEC-11). Throws the generator's last error if it never produced a draft.
 */
export async function generateSpec(given: SpecInput, deps: GenerateDeps): Promise<GeneratedSpec> {
  const stored = given.existing;
  const input = { ...given, existing: stored && { ...stored, content: withoutEvidence(stored.content) } };
  const { log } = deps;
  const fields = { issue_id: input.issue.id, generator: deps.generator.name };
  let best = await checked(input, null, deps);
  let last = best;
  for (let round = 1; round <= CORRECTIONS && isWorthARound(best, round); round += 1) {
    const rules = [...last.problems, ...last.warnings].map((problem) => problem.rule);
    log.info({ ...fields, round, rules }, "spec sent back to be corrected");
    try {
      last = await checked(input, last, deps);
    } catch (error) {
      // An uncorrected draft is better than none.
      log.warn({ ...fields, round, error: messageOf(error) }, "the correction of a spec failed");
      break;
    }
    if (isAsGood(last, best)) best = last;
  }
  const broken = best.problems.map((problem) => problem.rule);
  if (broken.length > 0) log.warn({ ...fields, rules: broken }, "spec kept as partial; it breaks rules");
  return finished(best, best.markdown ?? stored?.content ?? best.draft.markdown);
}

function isWorthARound({ problems, warnings }: Checked, round: number): boolean {
  return problems.length > 0 || (round === 1 && warnings.length > 0);
}

function isAsGood(a: Checked, b: Checked): boolean {
  const fewer = a.problems.length - b.problems.length;
  return fewer < 0 || (fewer === 0 && a.warnings.length <= b.warnings.length);
}

async function checked(input: SpecInput, previous: Checked | null, deps: GenerateDeps): Promise<Checked> {
  const correction =
    previous === null ? null : { previous: previous.draft, problems: [...previous.problems, ...previous.warnings] };
  const fresh = await attempt(input, correction, deps);
  const { draft, markdown, validation, unasked, isOld } = await revised(fresh, input, deps);
  const warnings = [...unasked.map(unaskedWarning), ...(isOld ? [] : validation.warnings)];
  return {
    draft,
    markdown: isOld ? null : markdown,
    validation,
    problems: validation.errors,
    warnings: deps.generator.takesWarnings === true ? warnings : [],
  };
}

/** The draft as the least change of the existing spec, validated; what would be wrong that way may change (R-SPEC-12). */
async function revised(fresh: SpecDraft, input: SpecInput, { finish, validate }: GenerateDeps) {
  const made = async (allowed?: Reasons) => {
    const { unasked, isOld, ...text } = leastChange(fresh, input, allowed);
    const draft = { ...fresh, ...text };
    const markdown = await finish(draft.markdown);
    return { draft, markdown, validation: await validate({ ...draft, markdown }), unasked, isOld };
  };
  const least = await made();
  const { errors } = least.validation;
  if (errors.length === 0 || least.unasked.length === 0) return least;
  const more = await made(alsoMending(reasonsIn(input, fresh.changes), least.unasked, errors));
  return more.validation.errors.length < errors.length ? more : least;
}

async function attempt(
  input: SpecInput,
  correction: Parameters<SpecGenerator["generate"]>[1],
  { generator, log }: GenerateDeps,
): Promise<SpecDraft> {
  let last: unknown;
  for (let n = 1; n <= ATTEMPTS; n += 1) {
    try {
      const draft = kept(await generator.generate(input, correction));
      const fault = faultOf(draft, input);
      if (fault === null) return draft;
      last = new RelayError("invalid", `the spec generator ${generator.name} submitted ${fault}`);
    } catch (error) {
      if (isNoUseToRepeat(error)) throw error;
      last = error;
    }
    log.warn({ issue_id: input.issue.id, generator: generator.name, attempt: n, error: messageOf(last) }, "no spec");
  }
  if (last instanceof RelayError) throw last;
  throw new RelayError("internal", `the spec generator ${generator.name} failed: ${messageOf(last)}`, { cause: last });
}

/** Even if the generator was manipulated, a spec contains no secrets and no hidden text (R-SAFE-1, R-SAFE-3). */
function kept(draft: SpecDraft): SpecDraft {
  return {
    ...draft,
    markdown: withoutEvidence(keptText(draft.markdown)),
    summary: draft.summary.map(keptText),
    changelog: keptText(draft.changelog),
  };
}

/** The job retries an unavailable model later; retrying never fixes a wrong key or a prompt that is too long. */
function isNoUseToRepeat(error: unknown): boolean {
  return error instanceof RelayError && (error.retryable || error.code === "config" || error.code === "too_large");
}

function faultOf({ markdown }: SpecDraft, { maxCharacters }: SpecInput): string | null {
  if (markdown.trim() === "") return "an empty spec";
  if (markdown.length > maxCharacters)
    return `a spec of ${markdown.length} characters, more than the ${maxCharacters} allowed`;
  return null;
}

function finished({ draft, validation, problems }: Checked, markdown: string): GeneratedSpec {
  const validationStatus = problems.length === 0 ? "valid" : "partial";
  return {
    ...draft,
    markdown,
    summary: bulleted(draft, validation),
    validationStatus,
    problems,
    metadata: {
      ...validation.metadata,
      sha256: sha256Of(markdown),
      validation_status: validationStatus,
      complexity: draft.complexity,
    },
  };
}

/** Extends a summary that is too short from the document: its TL;DR, then its tasks. */
function bulleted({ summary }: SpecDraft, { document }: Validation): string[] {
  const own = summary.map((bullet) => bullet.trim()).filter((bullet) => bullet !== "");
  const more = [...document.tldr.map((bullet) => bullet.text), ...document.tasks.map((task) => task.task)];
  const all = [...new Set(own.length >= BULLETS.least ? own : [...own, ...more])];
  return all.slice(0, own.length >= BULLETS.least ? BULLETS.most : Math.max(BULLETS.least, own.length));
}
