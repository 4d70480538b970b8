import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";
import { answerKind } from "../approval/answer.ts";
import { nearest } from "../config/yaml-text.ts";
import { type Gap, TOPICS } from "../domain/gap.ts";
import { isBlank } from "../domain/text/hidden-characters.ts";
import { RelayError, messageOf } from "../lib/errors.ts";

/** Prepared answers, by question number or topic, and the text of the go-ahead. */
export interface Answers {
  byKey: Map<string, string>;
  proceed: string | undefined;
}

const KEYS = [...TOPICS, "proceed"];
const answersSchema = z.record(
  z.string(),
  z.union([z.string(), z.number().transform(String), z.boolean().transform((is) => (is ? "yes" : "no"))]),
);

/**
 * Reads `--answers`: YAML or JSON, keys are question numbers or `reproduction, expected, actual, acceptance, scope,
 * compatibility`, and `proceed`. Throws `usage` naming an unknown key.
 */
export async function readAnswers(file: string): Promise<Answers> {
  let value: unknown;
  try {
    value = parse(await readFile(file, "utf8"), { maxAliasCount: 20 });
  } catch (cause) {
    throw new RelayError("usage", `cannot read the answers ${file}: ${messageOf(cause)}`, { cause });
  }
  const parsed = answersSchema.safeParse(value ?? {});
  if (!parsed.success) throw new RelayError("usage", `${file} must map question numbers or topics to answers`);
  for (const key of Object.keys(parsed.data)) {
    if (/^\d+$/.test(key) || KEYS.includes(key)) continue;
    const near = nearest(key, KEYS);
    throw new RelayError(
      "usage",
      `${file}: “${key}” is neither a question number nor a topic${near === null ? ` (${KEYS.join(", ")})` : `; did you mean “${near}”?`}`,
    );
  }
  const { proceed, ...rest } = parsed.data;
  return { byKey: new Map(Object.entries(rest)), proceed };
}

/** The comment a person would write: a numbered answer per question; empty if the file answers none of them. */
export function answerComment(answers: Answers, open: Gap[]): string {
  return open
    .flatMap((gap) => {
      const answer =
        answers.byKey.get(String(gap.number)) ?? (gap.topic === null ? undefined : answers.byKey.get(gap.topic));
      return answer === undefined || isBlank(answer) || answerKind(gap, answer) === "nothing"
        ? []
        : [`${gap.number}. ${answer.trim()}`];
    })
    .join("\n\n");
}
