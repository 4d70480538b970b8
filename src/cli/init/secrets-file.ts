import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import writeFileAtomic from "write-file-atomic";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";

const HEAD = `# Secrets of Relay, for this account's eyes only. In a shell: set -a; . THIS_FILE; set +a
# As they stand, systemd (EnvironmentFile=) and docker (--env-file) read them too.
`;

/** 32 random bytes, as text. */
export function newSecret(): string {
  return randomBytes(32).toString("hex");
}

/** The file of secrets in the data directory, which keeps itself out of git. */
export function secretsFile(home: string): string {
  return join(home, "relay.env");
}

/** The variables in a file of secrets; none if there is no file. Throws `io` if it cannot be read. */
export async function readSecrets(file: string): Promise<Record<string, string>> {
  const values = Object.entries(parseEnv(await textOf(file)));
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Sets variables in a file of secrets, readable for its owner only; other lines stay. Throws `io`. */
export async function writeSecrets(file: string, secrets: Record<string, string>): Promise<void> {
  const before = await textOf(file);
  const kept = (before === "" ? HEAD : before)
    .split("\n")
    .filter((line) => !Object.keys(secrets).some((name) => line.startsWith(`${name}=`)))
    .join("\n");
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  await keepPrivate(file, `${kept.replace(/\n*$/, "\n")}${lines.join("")}`);
}

/** Writes a file that only its owner may read, whole or not at all. Throws `io`. */
export async function keepPrivate(file: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new RelayError("io", `cannot write ${file}: ${messageOf(cause)}; make its folder writable`, { cause });
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return "";
    throw new RelayError("io", `cannot read ${file}: ${messageOf(cause)}; see who may read it`, { cause });
  }
}
