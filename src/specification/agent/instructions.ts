import type { Prompt } from "../../adapters/models/prompt.ts";
import { LENGTHS } from "../validate/rules.ts";
import { EXPLORES } from "./reads.ts";

/** The system prompt: the same for all issues, with the limits that the validator enforces. */
export function instructionsFrom(prompt: Prompt): string {
  const bounds = {
    explores: String(EXPLORES),
    lines_l0: String(LENGTHS.L0),
    lines_l1: String(LENGTHS.L1),
    lines_l2: String(LENGTHS.L2),
  };
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- it fills a text
  return prompt.fill(bounds);
}
