import type { Gap } from "../../domain/gap.ts";

/**
 * The bare digits of a planner's reference to a gap: `12`, `"12"`, `"#12"`, `"gap 12"`, `"gap_12"` or a full id
 * (R-ACT-2). Anything else is returned trimmed and matches no gap.
 */
export function gapReference(text: string): string {
  return /^\W{0,3}(?:gap)?[\s_#:-]{0,3}(\d{1,20})\W{0,3}$/i.exec(text.trim())?.[1] ?? text.trim();
}

/** The gap that a reference means: by its id, else by its number in the issue. */
export function findGap<T extends Pick<Gap, "id" | "number">>(gaps: readonly T[], reference: string): T | null {
  const name = gapReference(reference);
  return gaps.find((gap) => gap.id === name) ?? gaps.find((gap) => String(gap.number) === name) ?? null;
}
