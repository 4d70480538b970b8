import { randomInt } from "node:crypto";

/** A number from 0 up to, not including, 1, that nobody can guess. */
export function random(): number {
  return randomInt(2 ** 47) / 2 ** 47;
}
