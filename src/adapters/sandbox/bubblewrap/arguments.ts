import { BRIDGE, DOOR, HOME } from "../inner-paths.ts";
import type { ShownPath } from "../paths.ts";
import { TOLD } from "./namespace.ts";
import type { NodeProgram } from "../node-program.ts";
import type { SystemEntry } from "./system-files.ts";

/** What bubblewrap is told of a place. */
export interface Layout {
  system: readonly SystemEntry[];
  /** Files of /proc that tell of the whole machine's memory and keys. */
  hidden: readonly string[];
  node: NodeProgram;
  shown: readonly ShownPath[];
  /** Files that take the place of the system's: `/etc/passwd`. */
  settings: readonly { path: string; from: string }[];
  home: string;
  /** The folder with the socket, and the program that leads to it; null where nothing leads outside. */
  door: { folder: string; bridge: string } | null;
}

/** Own folders of one program. On disk, since what is in memory would not be bounded. */
export interface Scratch {
  tmp: string;
  shm: string;
}

/** Kept apart from everything: users, processes, network, names; without any right; ended with this process. */
export const APART: readonly string[] = [
  "--unshare-all",
  "--unshare-user",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  // An ordinary user inside, whoever it is outside: several programs refuse to run as root.
  "--uid",
  "1000",
  "--gid",
  "1000",
  "--hostname",
  "relay",
];

/** What bubblewrap is told of one program (R-WORK-5). What comes later lies over what came before. */
export function bubblewrapArguments(
  layout: Layout,
  scratch: Scratch,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): string[] {
  return [
    ...APART,
    ...layout.system.flatMap((entry) =>
      entry.kind === "link" ? ["--symlink", entry.to, entry.path] : ["--ro-bind", entry.path, entry.path],
    ),
    ...layout.settings.flatMap(({ path, from }) => ["--ro-bind", from, path]),
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    ...layout.hidden.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    "--bind",
    scratch.shm,
    "/dev/shm",
    "--bind",
    scratch.tmp,
    "/tmp",
    "--symlink",
    "../tmp",
    "/var/tmp",
    "--ro-bind",
    layout.node.shown,
    layout.node.shown,
    ...layout.shown.flatMap(({ path, real, writable }) => [writable ? "--bind" : "--ro-bind", real, path]),
    "--bind",
    layout.home,
    HOME,
    ...(layout.door === null ? [] : ["--ro-bind", layout.door.folder, DOOR, "--ro-bind", layout.door.bridge, BRIDGE]),
    // Root's settings of the kernel stay writable for it even without any right: /proc/sys/kernel/core_pattern.
    "--remount-ro",
    "/proc",
    // These two are in memory, and would be the program's to fill.
    "--remount-ro",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    "--info-fd",
    String(TOLD),
    "--clearenv",
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}
