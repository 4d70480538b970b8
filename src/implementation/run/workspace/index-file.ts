import { readFile, stat } from "node:fs/promises";
import { RelayError } from "../../../lib/errors.ts";
import type { RawPath } from "./raw-path.ts";

/** Shows whether a file changed without reading it: no program can set a file's ctime. */
export interface FileStamp {
  ctimeNs: bigint;
  /** The last 32 bits. */
  inode: number;
}

/** A file of the newest commit, from the index. */
export interface TrackedFile {
  mode: "100644" | "100755" | "120000" | "160000";
  objectName: string;
  /** Bytes, modulo 2^32; 0 if unknown. */
  size: number;
  /** State of the file after the checkout; null if a change within the same timestamp cannot be ruled out. */
  stamp: FileStamp | null;
}

const FIXED = 40;
const MODES: ReadonlyMap<number, TrackedFile["mode"]> = new Map([
  [0o100644, "100644"],
  [0o100755, "100755"],
  [0o120000, "120000"],
  [0o160000, "160000"],
]);

/**
 * Reads git's index, version 2 or 3, which has both the files of the commit and their state in the tree. Asking git for
 * both, and then the system for each file, takes several times as long.
 */
export async function readIndex(file: string, hashBytes: number): Promise<Map<RawPath, TrackedFile>> {
  const content = await readFile(file);
  const written = (await stat(file, { bigint: true })).mtimeNs;
  const version = content.length < 12 ? 0 : content.readUInt32BE(4);
  if (content.toString("latin1", 0, 4) !== "DIRC" || (version !== 2 && version !== 3)) throw unreadable(file);
  const tracked = new Map<RawPath, TrackedFile>();
  let at = 12;
  for (let left = content.readUInt32BE(8); left > 0; left -= 1) {
    const named = at + FIXED + hashBytes;
    if (named + 2 > content.length - hashBytes) throw unreadable(file);
    const start = named + ((content.readUInt16BE(named) & 0x4000) === 0 ? 2 : 4);
    const end = content.indexOf(0, start);
    const mode = MODES.get(content.readUInt32BE(at + 24));
    if (end === -1 || mode === undefined) throw unreadable(file);
    const ctimeNs = BigInt(content.readUInt32BE(at)) * 1_000_000_000n + BigInt(content.readUInt32BE(at + 4));
    tracked.set(content.toString("latin1", start, end), {
      mode,
      objectName: content.toString("hex", at + FIXED, named),
      size: content.readUInt32BE(at + 36),
      stamp: ctimeNs > 0n && ctimeNs < written ? { ctimeNs, inode: content.readUInt32BE(at + 20) } : null,
    });
    // Padding of 1 to 8 zeros, up to a multiple of 8 bytes.
    at += (end - at + 8) & ~7;
  }
  return tracked;
}

function unreadable(file: string): RelayError {
  return new RelayError("internal", `cannot read git's index ${file}; start the run again`);
}
