import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minVersion, satisfies } from "semver";
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
    z.object({
      license: z.string().optional(),
      integrity: z.string().optional(),
      engines: z.looseObject({ node: z.string().optional() }).optional(),
      dev: z.boolean().default(false),
    }),
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

test("what is installed where Relay runs takes the oldest Node that Relay promises to run on", () => {
  const { engines } = z
    .object({ engines: z.object({ node: z.string() }) })
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")));
  const oldest = minVersion(engines.node)?.version ?? "";
  const refusing = running().filter(([, one]) => !satisfies(oldest, one.engines?.node ?? "*"));
  expect(refusing).toEqual([]);
});
