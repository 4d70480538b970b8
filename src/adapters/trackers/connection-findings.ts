import { messageOf } from "../../lib/errors.ts";
import type { ConnectionFinding } from "./connection.ts";

export function fine(what: string, detail: string): ConnectionFinding {
  return { what, ok: true, detail, mend: null };
}

export function wrong(what: string, detail: string, mend: string): ConnectionFinding {
  return { what, ok: false, detail, mend };
}

/** The findings of the work; if it fails, the failure is the finding. */
export async function checked(
  { what, mend }: { what: string; mend: string },
  work: () => Promise<ConnectionFinding[]>,
): Promise<ConnectionFinding[]> {
  try {
    return await work();
  } catch (error) {
    return [wrong(what, messageOf(error), mend)];
  }
}
