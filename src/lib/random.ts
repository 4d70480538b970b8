import { randomInt } from "node:crypto";

/** A number in [0, 1) that nobody can guess. */
export function random(): number {
  return randomInt(2 ** 47) / 2 ** 47;
}
