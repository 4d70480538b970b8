import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { basename, join } from "node:path";
import { RelayError } from "../../../lib/errors.ts";
import type { LaunchRequest, RunningProgram } from "../../../lib/launch.ts";
import { plainEnvironment, programFolders } from "../environment.ts";
import { needsEgress } from "../egress-proxy/egress-proxy.ts";
import { hostNetwork, type Network } from "../egress-proxy/network.ts";
import { BRIDGE_PORT, openSocketProxy, SOCKET } from "../egress-proxy/socket-proxy.ts";
import { findProgram } from "../find-program.ts";
import { enforcementWeaknesses, type LimitEnforcement } from "../limit-enforcement.ts";
import { BRIDGE, BRIDGE_FILE, EGRESS_FOLDER, HOME } from "../inner-paths.ts";
import { type NodeProgram, foldersInside, nodeProgram } from "../node-program.ts";
import { type ShownPath, assertUnchanged, isWithin, shownPaths } from "../paths.ts";
import { assertPlain } from "../plain-text.ts";
import { programsOf } from "../programs.ts";
import type { OpenSandbox, SandboxSpec, Sandbox } from "../sandbox.ts";
import { kernelLimits, SLACK } from "./control-group.ts";
import { FILTER_FD, INFO_FD, namespaceOf, OPTIONS_FD } from "./namespace.ts";
import { seccompFilter } from "./seccomp.ts";
import { type SystemEntry, OWN_SETTINGS, systemEntries, sensitiveProcFiles } from "./system-files.ts";

export interface BubblewrapOptions {
  /** Name or path of bubblewrap. */
  program?: string;
  /** Lets programs make namespaces of their own, for bubblewrap before 0.8, which cannot forbid it. */
  nests?: boolean;
  network?: Network;
}

const TO_ALLOWED = "what is sent to an allowed host is not inspected";
const NESTING =
  "programs may make namespaces of their own, which shows them more of the kernel; bubblewrap 0.8 forbids it";

const UNFILTERED = `programs may make every call of the kernel, to its key rings too: no filter is known for ${process.arch}`;

/** Runs programs in namespaces of their own, with the given `bwrap` (R-WORK-5). Linux only. */
export function bubblewrap({
  program = "bwrap",
  nests = false,
  network = hostNetwork,
}: BubblewrapOptions = {}): Sandbox {
  const groups = kernelLimits();
  const enforcement: LimitEnforcement = {
    memory: groups.memory ? "kernel" : "watched",
    processes: groups.pids || kernelCountsProcesses() ? "kernel" : "watched",
    disk: "watched",
  };
  return {
    kind: "bubblewrap",
    weaknesses: [
      ...enforcementWeaknesses(enforcement),
      TO_ALLOWED,
      ...(nests ? [NESTING] : []),
      ...(seccompFilter() === null ? [UNFILTERED] : []),
    ],
    enforcement,
    open: async (spec) => await open(spec, { program, nests, network }),
  };
}

async function open(spec: SandboxSpec, { program, nests, network }: Required<BubblewrapOptions>): Promise<OpenSandbox> {
  await mkdir(spec.folder, { recursive: true, mode: 0o700 });
  // Looked up once, on Relay's own PATH: a program must not choose what runs on the host.
  const bwrap = await findProgram(program, { cwd: "/", folders: programFolders(), isVisible: () => true });
  const inner = await layOut(spec);
  const isVisible = visibility(inner);
  const folders = await foldersInside(inner.node, programFolders(), isVisible);
  const egress = needsEgress(spec) ? await openSocketProxy(spec, network) : null;
  const layout = { ...inner, egress: egress && { folder: egress.folder, bridge: BRIDGE_FILE } };
  const environment = {
    ...plainEnvironment(),
    HOME,
    TMPDIR: "/tmp",
    // It attaches to the program that it looks for leaks in, which the filter refuses.
    LSAN_OPTIONS: "detect_leaks=0",
    PATH: folders.join(":"),
    ...egress?.environment(`http://127.0.0.1:${BRIDGE_PORT}`),
  };
  const programs = programsOf(spec);
  const filter = seccompFilter();
  const launch = async (request: LaunchRequest): Promise<RunningProgram> => {
    await assertUnchanged(layout.shown);
    assertInside(request.cwd, layout);
    const seen = { ...environment, ...request.environment };
    assertPlain([request.cwd, ...request.args, ...(request.pathFirst ?? []), ...Object.entries(seen).flat()]);
    // Relay's own folders too: the sandbox may show a program, but not the folder that links to it.
    const searched = [...seen.PATH.split(":"), ...programFolders()];
    const command = await findProgram(request.command, { cwd: request.cwd, folders: searched, isVisible });
    const scratch = await scratchIn(spec.folder);
    const inside = { ...seen, PATH: [...(request.pathFirst ?? []), seen.PATH].join(":") };
    const options = [
      ...(nests ? [] : ["--disable-userns"]),
      ...(filter === null ? [] : ["--seccomp", String(FILTER_FD)]),
      ...bubblewrapArguments(layout, scratch, request.cwd, inside),
    ];
    return await programs.start({
      ...request,
      command: bwrap,
      args: [
        "--args",
        String(OPTIONS_FD),
        "--",
        ...withProcessLimit(spec),
        ...bridged(layout, command),
        ...request.args,
      ],
      cwd: spec.folder,
      // bubblewrap runs on the host, so none of the program's variables may reach it: LD_PRELOAD.
      environment: {},
      morePipes: filter === null ? 2 : 3,
      processesOf: (child) => namespaceOf(child, { options, filter, limits: spec }),
      afterwards: scratch.remove,
    });
  };
  return {
    launch,
    environment,
    refusedHosts: () => egress?.refusedHosts() ?? [],
    unreachedHosts: () => egress?.unreachedHosts() ?? [],
    close: async () => {
      await programs.endAll();
      await egress?.close();
      await removed(layout.home);
    },
  };
}

/** Limits the number of processes of the namespace's user. */
function withProcessLimit({ processes }: SandboxSpec): string[] {
  if (processes === null || !kernelCountsProcesses()) return [];
  // Shells disagree on the option's name.
  const script = 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0"; exec "$@"';
  return ["/bin/sh", "-c", script, String(processes + SLACK)];
}

/** Whether the kernel counts an account's processes per user namespace: from 5.14 on, and not for root. */
function kernelCountsProcesses(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
}

/** The program, started by the bridge where the sandbox may reach something. */
function bridged({ egress, node }: Layout, command: string): string[] {
  return egress === null
    ? [command]
    : [node.path, BRIDGE, String(BRIDGE_PORT), `${EGRESS_FOLDER}/${SOCKET}`, "", command];
}

async function layOut(spec: SandboxSpec): Promise<Layout> {
  const [system, hidden, node, shown] = await Promise.all([
    systemEntries(),
    sensitiveProcFiles(),
    nodeProgram(),
    shownPaths(spec),
  ]);
  const settings = OWN_SETTINGS.map(({ path, text }) => ({ path, text, from: join(spec.folder, basename(path)) }));
  for (const { from, text } of settings) await writeFile(from, text, { mode: 0o644 });
  const home = await mkdtemp(join(spec.folder, "home-"));
  return { system, hidden, node, shown, settings, home, egress: null };
}

function assertInside(cwd: string, { shown }: Layout): void {
  if (cwd === "/tmp" || cwd === HOME || shown.some(({ path }) => isWithin(cwd, path))) return;
  throw new RelayError("config", `nothing can be run in ${cwd}, which the sandbox does not show`);
}

/** Whether programs in the sandbox see a path of this machine under its own name. */
function visibility({ system, node, shown }: Layout): (path: string) => boolean {
  const folders = [...system.map(({ path }) => path), node.shown, ...shown.flatMap(({ path, real }) => [path, real])];
  return (path) => folders.some((folder) => isWithin(path, folder));
}

async function scratchIn(folder: string): Promise<Scratch & { remove: () => Promise<void> }> {
  const own = await mkdtemp(join(folder, "scratch-"));
  const scratch = { tmp: join(own, "tmp"), shm: join(own, "shm") };
  for (const path of [scratch.tmp, scratch.shm]) {
    await mkdir(path);
    await chmod(path, 0o1777);
  }
  return { ...scratch, remove: async () => await removed(own) };
}

/** Best effort: what a program made unremovable stays until the sandbox's folder is removed. */
async function removed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}

/** The file system of a sandbox. */
interface Layout {
  system: readonly SystemEntry[];
  /** Files of /proc that reveal memory and keys of the whole machine. */
  hidden: readonly string[];
  node: NodeProgram;
  shown: readonly ShownPath[];
  /** Files that replace the system's: `/etc/passwd`. */
  settings: readonly { path: string; from: string }[];
  home: string;
  /** The folder with the egress proxy's socket, and the bridge to it; null where no host may be reached. */
  egress: { folder: string; bridge: string } | null;
}

/** Scratch folders of one program; on disk, since memory would not be limited. */
interface Scratch {
  tmp: string;
  shm: string;
}

/** New namespaces for users, processes, network and names; no capabilities; ends with this process. */
const NAMESPACES: readonly string[] = [
  "--unshare-all",
  "--unshare-user",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  // An ordinary user in the sandbox, regardless of Relay's account: several programs refuse to run as root.
  "--uid",
  "1000",
  "--gid",
  "1000",
  "--hostname",
  "relay",
];

/** The options of one program (R-WORK-5). Later mounts cover earlier ones. */
function bubblewrapArguments(
  layout: Layout,
  scratch: Scratch,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): string[] {
  return [
    ...NAMESPACES,
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
    ...(layout.egress === null
      ? []
      : ["--ro-bind", layout.egress.folder, EGRESS_FOLDER, "--ro-bind", layout.egress.bridge, BRIDGE]),
    // As root, kernel settings stay writable even without capabilities: /proc/sys/kernel/core_pattern.
    "--remount-ro",
    "/proc",
    // These two are in memory, which a program could fill.
    "--remount-ro",
    "/dev",
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    "--info-fd",
    String(INFO_FD),
    "--clearenv",
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}
