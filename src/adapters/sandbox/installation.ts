import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { programFolders } from "./environment.ts";
import { whereProgramIs } from "./find-program.ts";
import { isWithin } from "./paths.ts";

/** What the sandbox shows in any case. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/nix/store", "/gnu/store"];
const SETTINGS_BYTES = 4_096;

/**
 * What a program needs of the machine to run, so that a sandbox can show it without the operator naming it (R-WORK-5):
 * the packages beside an npm program, the environment of a Python one, the folder that a link leads to. Of a folder that
 * programs share, like `~/bin`, or that holds a home, the file alone. Empty for a program of the system's, and for one
 * that is not there.
 */
export async function installationOf(program: string): Promise<string[]> {
  const found = await whereProgramIs(program, { cwd: "/", folders: programFolders() });
  if (found === null) return [];
  const shown = [await shownFor(found), ...(await pythonOf(found.real))];
  return shown.filter((path) => !SYSTEM.some((folder) => isWithin(path, folder)));
}

async function shownFor({ path, real }: { path: string; real: string }): Promise<string> {
  const parts = real.split(sep);
  const packages = parts.indexOf("node_modules");
  if (packages > 0) return parts.slice(0, packages + 1).join(sep);
  const folder = dirname(real);
  if ((await environmentAt(folder)) !== null) return dirname(folder);
  const isShared = /^s?bin$/.test(basename(folder)) || isWithin(homedir(), folder) || dirname(folder) === sep;
  return isShared || path === real ? real : folder;
}

/** The Python that an environment of Python's was made from, where it is no program of the system's. */
async function pythonOf(real: string): Promise<string[]> {
  const settings = await environmentAt(dirname(real));
  const [, home] = /^home *= *(\/.*)$/m.exec(settings ?? "") ?? [];
  const folder = home === undefined ? null : dirname(home.trim());
  return folder === null || isWithin(homedir(), folder) || folder === sep ? [] : [folder];
}

/** The settings of the Python environment whose programs are in this folder; null where it is none. */
async function environmentAt(folder: string): Promise<string | null> {
  const text = await readFile(join(dirname(folder), "pyvenv.cfg"), "utf8").catch(() => null);
  return text === null ? null : text.slice(0, SETTINGS_BYTES);
}
