import type { Check } from "../../app/doctor.ts";
import { messageOf } from "../../lib/errors.ts";

/** Called after each check. */
export type Report = (check: Check) => void;

/** The value of `look`, or null if it failed; reports either. */
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

/** A check as a line, with the remedy below it. */
export function checkText({ name, ok, detail, mend }: Check): string {
  const mark = ok ? (mend === undefined ? "ok  " : "warn") : "FAIL";
  return `${mark}  ${name}: ${detail}\n${mend === undefined ? "" : `      ${mend}\n`}`;
}
