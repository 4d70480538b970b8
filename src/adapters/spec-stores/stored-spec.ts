import type { SpecRef } from "../../domain/spec.ts";
import { RelayError } from "../../lib/errors.ts";
import type { SpecStore } from "./spec-store.ts";

/** The spec that an issue refers to; null without one, or if its file was lost. */
export async function storedSpec(
  ref: SpecRef | null,
  store: SpecStore,
): Promise<{ content: string; ref: SpecRef } | null> {
  if (ref === null || !(await store.exists(ref))) return null;
  return { content: await store.read(ref), ref };
}

/** Whether a store no longer has a version as it was written; other errors may pass. */
export function isLost(error: unknown): boolean {
  return error instanceof RelayError && (error.code === "not_found" || error.code === "invalid");
}
