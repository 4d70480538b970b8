import { randomInt } from "node:crypto";

/** An unpredictable number in [0, 1). */
export function random(): number {
  return randomInt(2 ** 47) / 2 ** 47;
}
