import type { SpecMetadata } from "../domain/spec.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { SpecDraft, SpecGenerator, SpecInput } from "./generator.ts";
import type { SpecProblem } from "./validate/rules.ts";
import type { Validation } from "./validate/validate.ts";

/** Tries of the generator itself, when it fails to give anything (R-SPEC-3). */
const ATTEMPTS = 3;
/** Times that it may mend what the validator refused (R-SPEC-7). */
const CORRECTIONS = 2;

export interface GeneratedSpec extends SpecDraft {
  validationStatus: "valid" | "partial";
  problems: SpecProblem[];
  metadata: SpecMetadata;
}

/**
 * Has a spec written, validated, and corrected with exactly the rules that failed; what still fails then is kept as
 * `partial` (R-SPEC-7). Throws the generator's last error when it gave nothing at all.
 */
export async function generateSpec(
  input: SpecInput,
  { generator, validate }: { generator: SpecGenerator; validate: (draft: SpecDraft) => Promise<Validation> },
): Promise<GeneratedSpec> {
  let draft = await attempt(async () => await generator.generate(input, null));
  let validation = await validate(draft);
  for (let round = 0; round < CORRECTIONS && !validation.valid; round += 1) {
    const correction = { previous: draft, problems: validation.errors };
    draft = await attempt(async () => await generator.generate(input, correction));
    validation = await validate(draft);
  }
  return {
    ...draft,
    validationStatus: validation.valid ? "valid" : "partial",
    problems: validation.errors,
    metadata: validation.metadata,
  };
}

async function attempt(generate: () => Promise<SpecDraft>): Promise<SpecDraft> {
  let last: unknown;
  for (let n = 0; n < ATTEMPTS; n += 1) {
    try {
      const draft = await generate();
      if (draft.markdown.trim() !== "") return draft;
      last = new RelayError("invalid", "the spec generator submitted an empty spec");
    } catch (error) {
      last = error;
    }
  }
  if (last instanceof RelayError) throw last;
  throw new RelayError("internal", `the spec generator failed: ${messageOf(last)}`, { cause: last });
}
