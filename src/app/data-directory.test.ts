import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { prepareHome } from "./data-directory.ts";

const rightsOf = async (path: string) => (await stat(path)).mode & 0o777;
/** Others pass through root's to the database, and read nothing. */
const OWN = process.getuid?.() === 0 ? 0o711 : 0o700;

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "relay-home-"));
  onTestFinished(async () => await rm(made, { recursive: true, force: true }));
  return made;
}

test("a data directory is for its own account, whatever it was before (R-SAFE-10)", async () => {
  const home = join(await folder(), "home");
  await prepareHome(home);
  expect((await rightsOf(home)) & ~OWN).toBe(0);
  for (const name of ["", "index", "queue", "state"]) {
    await mkdir(join(home, name), { recursive: true });
    await chmod(join(home, name), 0o777);
  }
  await prepareHome(home);
  expect(await rightsOf(home)).toBe(OWN);
  for (const name of ["index", "queue", "state"]) expect(await rightsOf(join(home, name))).toBe(0o700);
});

test("rights that somebody took away stay away", async () => {
  const home = join(await folder(), "home");
  await mkdir(home, { mode: 0o700 });
  await prepareHome(home);
  expect(await rightsOf(home)).toBe(0o700);
});
