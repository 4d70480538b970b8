import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, normalize, sep } from "node:path";
import { RelayError, messageOf } from "../../lib/errors.ts";
import { OWN_FOLDER } from "./inner-paths.ts";
import type { SandboxSpec } from "./sandbox.ts";

/** A path of a sandbox, as it was when the sandbox was opened. */
export interface ShownPath {
  /** The path that programs use. */
  path: string;
  /** With links resolved. */
  real: string;
  writable: boolean;
  /** Identifies the file or folder, to notice a replacement. */
  identity: string;
}

/**
 * The paths of a sandbox, outer ones first. Throws `RelayError` `config` for one that is not absolute, does not exist,
 * or would show the whole machine.
 */
export async function shownPaths(spec: SandboxSpec): Promise<ShownPath[]> {
  const wanted = [
    ...spec.readable.map((path) => ({ path, writable: false })),
    ...spec.writable.map((path) => ({ path, writable: true })),
  ];
  const shown = await Promise.all(
    wanted.map(async ({ path, writable }) => {
      const plain = normalize(path).replace(/(?<=.)\/$/, "");
      if (
        !isAbsolute(plain) ||
        plain === sep ||
        plain === "/proc" ||
        plain === "/dev" ||
        isWithin(OWN_FOLDER, plain) ||
        isWithin(plain, OWN_FOLDER)
      ) {
        throw new RelayError(
          "config",
          `the sandbox cannot show ${path}; name an absolute path inside the machine's folders`,
        );
      }
      try {
        const real = await realpath(plain);
        return { path: plain, real, writable, identity: await identityOf(real) };
      } catch (cause) {
        throw new RelayError("config", `the sandbox cannot show ${path}: ${messageOf(cause)}`, { cause });
      }
    }),
  );
  await assertApart(spec.folder, shown);
  // A path listed twice is writable if either entry is: the writable one comes later.
  return shown.toSorted((a, b) => a.path.length - b.path.length || Number(a.writable) - Number(b.writable));
}

/**
 * Throws `RelayError` `forbidden` where a link in a writable folder leads another path elsewhere: an earlier program
 * may have made it. Throws `config` where programs would see the sandbox's own folder.
 */
async function assertApart(folder: string, shown: readonly ShownPath[]): Promise<void> {
  const own = await realpath(folder).catch(() => folder);
  for (const outer of shown) {
    if (isWithin(own, outer.real)) {
      throw new RelayError(
        "config",
        `${folder} is the sandbox's own folder, but within ${outer.path}, which programs see`,
      );
    }
    for (const { path, real } of outer.writable ? shown : []) {
      if (isWithin(path, outer.path) && real !== outer.real + path.slice(outer.path.length)) {
        throw new RelayError("forbidden", `${path} leads by a link to ${real}; nothing is run there`);
      }
    }
  }
}

/**
 * Throws `RelayError` `forbidden` where a path was replaced since the sandbox was opened: a program may have put a link
 * there, to be shown its target.
 */
export async function assertUnchanged(shown: readonly ShownPath[]): Promise<void> {
  await Promise.all(
    shown.map(async ({ path, real, identity }) => {
      const same = (await realpath(path).catch(() => null)) === real && (await identityOf(real)) === identity;
      if (!same) throw new RelayError("forbidden", `${path} was replaced by something else; nothing more is run there`);
    }),
  );
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await lstat(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** Whether the path is the folder itself, or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
