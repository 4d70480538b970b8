import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { programFolders } from "./environment.ts";
import { whereProgramIs } from "./find-program.ts";
import { isWithin } from "./paths.ts";

/** What every sandbox shows. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/nix/store", "/gnu/store"];
const SETTINGS_BYTES = 4_096;

/**
 * What a program needs of the machine to run, so that the operator need not list it (R-WORK-5): the packages next to an
 * npm program, the environment of a Python one, the folder that a link leads to. From a shared folder such as `~/bin`,
 * or one that contains a home, only the file. Empty for a system program, and for one that does not exist.
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

/** The Python that a virtual environment was made from, unless it is the system's. */
async function pythonOf(real: string): Promise<string[]> {
  const settings = await environmentAt(dirname(real));
  const [, home] = /^home *= *(\/.*)$/m.exec(settings ?? "") ?? [];
  const folder = home === undefined ? null : dirname(home.trim());
  return folder === null || isWithin(homedir(), folder) || folder === sep ? [] : [folder];
}

/** The settings of the virtual environment whose programs are in this folder; null where it is none. */
async function environmentAt(folder: string): Promise<string | null> {
  const text = await readFile(join(dirname(folder), "pyvenv.cfg"), "utf8").catch(() => null);
  return text === null ? null : text.slice(0, SETTINGS_BYTES);
}
