import { RelayError } from "../lib/errors.ts";

/** The number given with `--cycle`. */
export function cycleNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RelayError("usage", `--cycle must be the number of a cycle, not “${text}”`);
}
