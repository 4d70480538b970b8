import { readlink, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError, messageOf, systemCode } from "../../lib/errors.ts";
import { type Account, reaches } from "./account.ts";
import { sha256Of } from "../../lib/sha256.ts";

/** Part of the socket's name; fixed, so that `PGPORT` has no effect. */
export const SOCKET_PORT = 5432;

/** Longest socket path in bytes. Systems allow 103 to 107; longer ones get a short link. */
const LONGEST = 100;

export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${SOCKET_PORT}`);
}

/**
 * The folder by which clients and server address the socket: the given one, or a short link to it. Call it before each
 * attempt, since the process that stops the server removes the link.
 */
export async function socketFolder(folder: string, account: Account | null): Promise<string> {
  if (Buffer.byteLength(socketIn(folder)) <= LONGEST) return folder;
  const link = await linkFor(folder, account);
  await symlink(folder, link).catch(async (error: unknown) => {
    if (systemCode(error) === "EEXIST" && (await readlink(link).catch(() => null)) === folder) return;
    throw new RelayError(
      "io",
      `cannot link ${link} to ${folder}: ${messageOf(error)}; remove the former, or set RELAY_HOME to a shorter path`,
      { cause: error },
    );
  });
  return link;
}

async function linkFor(folder: string, account: Account | null): Promise<string> {
  // Different accounts (root and the owner) may use one folder, but not follow each other's links in /tmp.
  const name = `relay-${sha256Of(folder).slice(0, 16)}-${process.getuid?.() ?? 0}`;
  for (const parent of [tmpdir(), "/tmp"]) {
    const link = join(parent, name);
    const fits = Buffer.byteLength(socketIn(link)) <= LONGEST;
    if (fits && (account === null || (await reaches(account, parent)))) return link;
  }
  throw new RelayError("config", `the path ${folder} is too long for a socket; set RELAY_HOME to a shorter one`);
}
