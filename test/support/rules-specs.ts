import { WRITTEN_LANGUAGES } from "../../src/i18n/phrases.ts";
import { offlineSpecGenerator } from "../../src/specification/rules/writer.ts";
import { OFFLINE_SAMPLES } from "./offline-samples.ts";

/** Specs as the rules write them, of several levels in each language. */
export async function rulesSpecs(): Promise<string[]> {
  const inputs = WRITTEN_LANGUAGES.flatMap((language, index) =>
    Object.values(OFFLINE_SAMPLES).map((sample, at) => ({
      ...sample,
      issue: { ...sample.issue, externalIssueId: String(100 + index * 10 + at), language },
      complexityHint: (["L0", "L1", "L2"] as const)[(index + at) % 3] ?? null,
    })),
  );
  const drafts = await Promise.all(inputs.map(async (input) => await offlineSpecGenerator().generate(input, null)));
  return drafts.map(({ markdown }) => markdown);
}
