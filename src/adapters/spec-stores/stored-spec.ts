import type { SpecRef } from "../../domain/spec.ts";
import type { SpecStore } from "./spec-store.ts";

/** The spec that an issue refers to; null without one, or if its file was lost. */
export async function storedSpec(
  ref: SpecRef | null,
  store: SpecStore,
): Promise<{ content: string; ref: SpecRef } | null> {
  if (ref === null || !(await store.exists(ref))) return null;
  return { content: await store.read(ref), ref };
}
