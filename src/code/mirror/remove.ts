import { mkdir, rename, rm } from "node:fs/promises";
import { systemCode } from "../../lib/errors.ts";
import { locked } from "../../lib/lock.ts";
import { placeOf, sweep, temporaryBeside } from "./mirror-directory.ts";
import { parseRemote } from "./remote.ts";

const PATIENCE_MS = 60_000;

/**
 * Deletes a mirror; false when there was none. It is moved away in one step first: a reader at work goes on with the
 * files that it has open or is told that objects are missing, and nobody sees half a repository.
 * Throws `RelayError` `conflict`, retryable, while it is being fetched for more than a minute.
 */
export async function removeMirror(home: string, url: string): Promise<boolean> {
  const place = placeOf(home, parseRemote({ url, plainHttp: true }));
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const remove = async (): Promise<boolean> => {
    const found = await rename(place.directory, temporaryBeside(place)).then(
      () => true,
      (error: unknown) => {
        if (systemCode(error) === "ENOENT") return false;
        throw error;
      },
    );
    await rm(place.state, { force: true });
    await sweep(place);
    return found;
  };
  return await locked(place.lock, remove, { patienceMs: PATIENCE_MS });
}
