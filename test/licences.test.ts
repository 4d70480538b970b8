import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  // Python's, of a part of argparse.
  "PSF-2.0",
]);
const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ license: z.string().optional(), integrity: z.string().optional(), dev: z.boolean().default(false) }),
  ),
});

/** What is installed where Relay runs. */
function running() {
  const { packages } = lock.parse(JSON.parse(readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8")));
  return Object.entries(packages).filter(([path, { dev }]) => path !== "" && !dev);
}

/** `(MIT OR CC0-1.0)` allows to choose. */
function isAllowed(licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((one) => ALLOWED.has(one));
}

test("everything that is installed where Relay runs has a permissive licence, and is pinned by its content", () => {
  expect(running().length).toBeGreaterThan(50);
  expect(running().filter(([, { license }]) => license === undefined || !isAllowed(license))).toEqual([]);
  expect(running().filter(([, { integrity }]) => integrity === undefined)).toEqual([]);
});
