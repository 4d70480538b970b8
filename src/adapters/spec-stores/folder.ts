import { constants } from "node:fs";
import { access, lstat, mkdir, open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { RelayError, systemCode } from "../../lib/errors.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** For its own account (R-SAFE-10). */
const MODE = 0o600;
const TEMPORARY = ".tmp";

/** A folder by its open handle, so that replacing it with a link cannot redirect what is done in it. */
export interface Folder {
  /** Path for messages. */
  readonly name: string;
  /** The bytes of a regular file, at most `limit`; null if there is none. */
  read: (file: string, limit: number) => Promise<Buffer | null>;
  /** Its files, in order. */
  names: () => Promise<string[]>;
  /** When a file was last written. */
  writtenAt: (file: string) => Promise<Date>;
  /** Atomic, also on power loss: a synced temporary file is renamed, and the folder synced. */
  replace: (file: string, content: string) => Promise<void>;
  /** Removes temporary files left by a crash. Only for the holder of the lock: no one else is writing then. */
  removeLeftovers: () => Promise<void>;
  /** Works in a subfolder, created if missing. */
  inside: <T>(folder: string, work: (folder: Folder) => Promise<T>) => Promise<T>;
  /** The same, or null if it is missing. */
  ifThere: <T>(folder: string, work: (folder: Folder) => Promise<T>) => Promise<T | null>;
}

/** Opens a folder (never through a link) for the duration of `work`; null if there is none. */
export async function inFolder<T>(path: string, work: (folder: Folder) => Promise<T>): Promise<T | null> {
  return await opened(path, path, work);
}

async function opened<T>(path: string, name: string, work: (folder: Folder) => Promise<T>): Promise<T | null> {
  const handle = await openFolder(path, name);
  return handle && (await held(handle, path, name, work));
}

async function made<T>(path: string, name: string, work: (folder: Folder) => Promise<T>): Promise<T> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
  const handle = await openFolder(path, name);
  if (!handle) throw new RelayError("io", `the folder ${name} vanished while it was written to; try again`);
  return await held(handle, path, name, work);
}

async function held<T>(
  handle: FileHandle,
  path: string,
  name: string,
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  try {
    const pinned = `/proc/self/fd/${handle.fd}`;
    const canPin = process.platform === "linux" && (await isThere(pinned));
    const result = await work(folderAt(canPin ? pinned : path, name, handle));
    if (!canPin) await refuseSwapped(handle, path, name);
    return result;
  } finally {
    await handle.close();
  }
}

function folderAt(base: string, name: string, handle: FileHandle): Folder {
  return {
    name,
    read: async (file, limit) => await readPlain(join(base, file), join(name, file), limit),
    names: async () => (await readdir(base)).toSorted(),
    writtenAt: async (file) => (await lstat(join(base, file))).mtime,
    replace: async (file, content) => {
      const temporary = join(base, `${file}.${process.pid}-${process.hrtime.bigint()}${TEMPORARY}`);
      try {
        await writeSynced(temporary, content);
        await rename(temporary, join(base, file));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await sync(handle);
    },
    removeLeftovers: async () => {
      for (const file of await readdir(base)) {
        if (file.endsWith(TEMPORARY)) await rm(join(base, file), { force: true });
      }
    },
    inside: async (folder, work) => {
      const result = await made(join(base, folder), join(name, folder), work);
      await sync(handle);
      return result;
    },
    ifThere: async (folder, work) => await opened(join(base, folder), join(name, folder), work),
  };
}

async function openFolder(path: string, name: string): Promise<FileHandle | null> {
  try {
    return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    if (await isLink(path)) throw linkRefused(name);
    throw error;
  }
}

async function readPlain(path: string, name: string, limit: number): Promise<Buffer | null> {
  let handle: FileHandle;
  try {
    // Non-blocking: opening a pipe in the file's place would hang.
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    if (await isLink(path)) throw linkRefused(name);
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new RelayError("forbidden", `${name} is not a plain file`);
    if (found.size > limit) {
      throw new RelayError("too_large", `${name} has ${found.size} bytes, more than the ${limit} that a spec may have`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Sets the mode again, since the umask may have cleared bits. */
async function writeSynced(path: string, content: string): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, MODE);
  try {
    await handle.writeFile(content);
    await handle.chmod(MODE);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Best effort: not every file system can sync a folder. */
async function sync(handle: FileHandle): Promise<void> {
  await handle.sync().catch((error: unknown) => {
    if (!["EINVAL", "EPERM", "ENOTSUP", "EISDIR", "EBADF"].includes(systemCode(error) ?? "")) throw error;
  });
}

/** Detects a swap of the folder, on systems where it cannot be used by its handle. */
async function refuseSwapped(handle: FileHandle, path: string, name: string): Promise<void> {
  const [atFirst, now] = [await handle.stat(), await lstat(path)];
  if (atFirst.ino !== now.ino || atFirst.dev !== now.dev) throw linkRefused(name);
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

function linkRefused(name: string): RelayError {
  return new RelayError("forbidden", `${name} is a symbolic link; links are not followed here`);
}
