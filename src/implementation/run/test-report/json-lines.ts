import { relative } from "node:path";
import { z } from "zod";
import { MOST_TESTS, type ReportedTest, testName } from "./reported-test.ts";

/** What the files in `helpers/` write for each test. */
const lineSchema = z.object({
  /** Absolute. */
  file: z.string().nullish(),
  name: z.string(),
  state: z.enum(["passed", "failed", "skipped", "broken"]),
});

/** The tests of such a report; null if a line has another form. File names are relative to `directory`. */
export function lineTests(text: string, directory: string): ReportedTest[] | null {
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length > MOST_TESTS) return null;
  const tests: ReportedTest[] = [];
  for (const line of lines) {
    const read = parsed(line);
    if (read === null) return null;
    const { file, name, state } = read;
    const path = file ? relative(directory, file) : "";
    tests.push({ name: testName([path, name].filter(Boolean).join(" > ")), state });
  }
  return tests;
}

function parsed(line: string): z.infer<typeof lineSchema> | null {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
