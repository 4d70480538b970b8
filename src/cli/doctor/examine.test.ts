import { mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configWithoutFile } from "../../config/config.ts";
import { examineFolders } from "./examine.ts";

test("the folders that doctor makes are for its own account alone (R-SAFE-10)", async () => {
  const top = await mkdtemp(join(tmpdir(), "relay-doctor-"));
  const [home, specs] = [join(top, "home"), join(top, "specs")];
  const before = process.umask(0o022);
  try {
    await examineFolders(configWithoutFile({ RELAY_HOME: home, RELAY_SPEC_ROOT: specs }), () => {});
  } finally {
    process.umask(before);
  }
  for (const folder of [home, specs]) expect((await stat(folder)).mode & 0o777).toBe(0o700);
});
