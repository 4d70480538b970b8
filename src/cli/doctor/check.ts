import { messageOf } from "../../lib/errors.ts";

/** What was looked at, and how it is. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  /** What to do about it. */
  mend?: string;
}

/** Told of each check when it is done. */
export type Report = (check: Check) => void;

/** What `look` found, or null where it failed; both are reported. */
export async function attempt<T>(
  report: Report,
  { name, mend }: { name: string; mend: string },
  look: () => { value: T; detail: string } | Promise<{ value: T; detail: string }>,
): Promise<T | null> {
  try {
    const { value, detail } = await look();
    report({ name, ok: true, detail });
    return value;
  } catch (error) {
    report({ name, ok: false, detail: messageOf(error), mend });
    return null;
  }
}

/** One check for people: a line, and below it what to do. */
export function checkText({ name, ok, detail, mend }: Check): string {
  return `${ok ? "ok  " : "FAIL"}  ${name}: ${detail}\n${mend === undefined ? "" : `      ${mend}\n`}`;
}
