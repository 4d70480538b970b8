import type { Retention } from "../config/retention-settings.ts";

/** Says that something was removed since its time was over, and which setting says so (R-SCALE-3). */
export function removedText(what: string, at: Date, key: keyof Retention): string {
  return `${what} were removed on ${at.toISOString().slice(0, 10)}, as retention.${key} says`;
}
