import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { TOPICS } from "../../domain/gap.ts";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";

const LARGEST = 4 * 1024 * 1024;
const MOST_CASES = 500;

/** Keywords of a question: one of each group must occur, ignoring case. */
const about = z.array(z.array(z.string().trim().min(1).max(200)).min(1).max(50)).max(20);

const caseSchema = z.strictObject({
  /** Names the case in the report. */
  id: z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/, { error: "must be letters, digits, points, hyphens" }),
  /** An issue file, as for `relay spec`; relative to the folder of the case set. */
  issue: z.string().min(1).max(1_000),
  /** A directory with a git repository, or a git bundle; from the folder of the case set. */
  repo: z.string().min(1).max(1_000),
  /** Branch, tag or commit; by default, the repository's checkout. */
  ref: z
    .string()
    .regex(/^[A-Za-z0-9][\w./-]{0,199}$/, { error: "must be the name of a branch, tag or commit" })
    .optional(),
  /** Questions whose answers would change the spec, and people's answers. */
  key_questions: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(100),
        topic: z.enum(TOPICS).optional(),
        about: about.default([]),
        answer: z.string().max(20_000).optional(),
      }),
    )
    .max(50)
    .default([]),
  /** Questions that should not be asked: the issue or the code answers them. */
  forbidden_questions: z
    .array(z.strictObject({ id: z.string().min(1).max(100), about: about.min(1) }))
    .max(50)
    .default([]),
  /** Files that the change has to touch. */
  gold_files: z.array(z.string().min(1).max(1_000)).max(200).default([]),
});

/** One case: Relay's input, and the expectations hidden from it. */
export type EvalCase = z.infer<typeof caseSchema>;
export type KeyQuestion = EvalCase["key_questions"][number];

/** Reads a case set, one JSON document per line. Throws `usage`, naming file, line and key. */
export async function readCases(file: string): Promise<EvalCase[]> {
  const cases: EvalCase[] = [];
  for (const [index, line] of (await readSet(file)).split("\n").entries()) {
    if (line.trim() === "") continue;
    const one = parseCase(line, `${file}:${index + 1}`);
    if (cases.some((other) => other.id === one.id)) {
      throw new RelayError("usage", `${file}:${index + 1}: there are two cases with the id “${one.id}”; rename one`);
    }
    const folder = dirname(resolve(file));
    cases.push({ ...one, issue: resolve(folder, one.issue), repo: resolve(folder, one.repo) });
  }
  if (cases.length === 0) throw new RelayError("usage", `${file} holds no case; write one JSON document a line`);
  if (cases.length > MOST_CASES) throw new RelayError("usage", `${file} holds more than ${MOST_CASES} cases; split it`);
  return cases;
}

async function readSet(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > LARGEST) throw new RelayError("usage", `${file} is larger than 4 MiB; split it`);
    return await readFile(file, "utf8");
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    const why = systemCode(cause) === "ENOENT" ? "there is no such file" : messageOf(cause);
    throw new RelayError("usage", `cannot read the case set ${file}: ${why}`, { cause });
  }
}

function parseCase(line: string, place: string): EvalCase {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new RelayError("usage", `${place}: not valid JSON: ${messageOf(cause)}`, { cause });
  }
  const parsed = caseSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RelayError("usage", `${place}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a case"}`);
}
