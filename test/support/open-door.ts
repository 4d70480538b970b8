import type { Entry } from "../../src/adapters/models/door.ts";

/** A door that lets everything through, and counts nothing. */
export function letIn({ body }: { body: Buffer }): Entry {
  return { kind: "passed", body, count: { begin: () => {}, take: () => {}, end: () => {} } };
}
