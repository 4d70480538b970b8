import type { Entry } from "../../src/adapters/models/gateway.ts";

/** A gateway that lets everything through, and counts nothing. */
export function letIn({ body }: { body: Buffer }): Entry {
  return { kind: "passed", body, count: { begin: () => {}, take: () => {}, end: () => {} } };
}
