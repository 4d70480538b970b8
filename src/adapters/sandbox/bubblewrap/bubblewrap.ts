import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { release } from "node:os";
import { basename, join } from "node:path";
import { RelayError } from "../../../lib/errors.ts";
import type { LaunchRequest, RunningProgram } from "../../../lib/launch.ts";
import { plainEnvironment, programFolders } from "../environment.ts";
import { watchDisk } from "../disk-watch.ts";
import { hasDoor } from "../egress-proxy/egress-proxy.ts";
import { network } from "../egress-proxy/network.ts";
import type { Outside } from "../egress-proxy/network.ts";
import { BRIDGE_PORT, openSocketDoor, SOCKET } from "../egress-proxy/socket-proxy.ts";
import { findProgram } from "../find-program.ts";
import { holdersWeaknesses } from "../limit-enforcement.ts";
import type { Holders } from "../limit-enforcement.ts";
import { BRIDGE, BRIDGE_FILE, DOOR, HOME } from "../inner-paths.ts";
import { foldersInside, nodeProgram } from "../node-program.ts";
import { assertUnchanged, isWithin, shownPaths } from "../paths.ts";
import { assertPlain } from "../plain-text.ts";
import { start } from "../process.ts";
import type { OpenPlace, Place, Sandbox } from "../sandbox.ts";
import { bubblewrapArguments } from "./arguments.ts";
import type { Layout, Scratch } from "./arguments.ts";
import { heldByKernel, SLACK } from "./control-group.ts";
import { GIVEN, namespaceOf } from "./namespace.ts";
import { OWN_SETTINGS, systemEntries, telltaleFiles } from "./system-files.ts";

export interface BubblewrapOptions {
  /** Name or path of bubblewrap. */
  program?: string;
  /** Lets programs make namespaces of their own, for bubblewrap before 0.8, which cannot forbid it. */
  nests?: boolean;
  outside?: Outside;
}

const TO_ALLOWED = "what is sent to an allowed host is not looked at";
const NESTING =
  "programs may make namespaces of their own, which shows them more of the kernel; bubblewrap 0.8 forbids it";

/** Programs in namespaces of their own, by the given `bwrap` (R-WORK-5). Linux only. */
export function bubblewrap({ program = "bwrap", nests = false, outside = network }: BubblewrapOptions = {}): Sandbox {
  const groups = heldByKernel();
  const holders: Holders = {
    memory: groups.memory ? "kernel" : "watched",
    processes: groups.pids || countsProcesses() ? "kernel" : "watched",
    disk: "watched",
  };
  return {
    kind: "bubblewrap",
    weaknesses: [...holdersWeaknesses(holders), TO_ALLOWED, ...(nests ? [NESTING] : [])],
    holders,
    open: async (place) => await open(place, { program, nests, outside }),
  };
}

async function open(place: Place, { program, nests, outside }: Required<BubblewrapOptions>): Promise<OpenPlace> {
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  // By Relay's own PATH, and once: what a program's PATH names first would run outside.
  const bwrap = await findProgram(program, { cwd: "/", folders: programFolders(), isVisible: () => true });
  const inner = await layOut(place);
  const isVisible = visibility(inner);
  const folders = await foldersInside(inner.node, programFolders(), isVisible);
  const door = hasDoor(place) ? await openSocketDoor(place, outside) : null;
  const layout = { ...inner, door: door && { folder: door.folder, bridge: BRIDGE_FILE } };
  const environment = {
    ...plainEnvironment(),
    HOME,
    TMPDIR: "/tmp",
    PATH: folders.join(":"),
    ...door?.environment(`http://127.0.0.1:${BRIDGE_PORT}`),
  };
  const disk = watchDisk(place);
  const running = new Set<RunningProgram>();
  const launch = async (request: LaunchRequest): Promise<RunningProgram> => {
    await assertUnchanged(layout.shown);
    assertInside(request.cwd, layout);
    const seen = { ...environment, ...request.environment };
    assertPlain([request.cwd, ...request.args, ...Object.entries(seen).flat()]);
    // Relay's own folders too, for a program that is shown without the folder where a link leads to it.
    const searched = [...seen.PATH.split(":"), ...programFolders()];
    const command = await findProgram(request.command, { cwd: request.cwd, folders: searched, isVisible });
    const scratch = await scratchIn(place.folder);
    const options = [
      ...(nests ? [] : ["--disable-userns"]),
      ...bubblewrapArguments(layout, scratch, request.cwd, seen),
    ];
    const started = await start({
      ...request,
      command: bwrap,
      args: ["--args", String(GIVEN), "--", ...counted(place), ...bridged(layout, command), ...request.args],
      cwd: place.folder,
      // Nothing of the program's is for bubblewrap itself, which stands outside: LD_PRELOAD.
      environment: {},
      morePipes: 2,
      processesOf: (child) => namespaceOf(child, { options, bounds: place }),
      afterwards: scratch.remove,
      ...(disk === null ? {} : { excess: disk.forProgram() }),
    });
    running.add(started);
    void started.exit.then(() => running.delete(started));
    return started;
  };
  return {
    launch,
    environment,
    refusedHosts: () => door?.refusedHosts() ?? [],
    close: async () => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
      await door?.close();
      await removed(layout.home);
    },
  };
}

/** What bounds the number of processes by the account, which has none outside of the namespace's own users. */
function counted({ processes }: Place): string[] {
  if (processes === null || !countsProcesses()) return [];
  // Shells do not agree on the option's name.
  const script = 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0"; exec "$@"';
  return ["/bin/sh", "-c", script, String(processes + SLACK)];
}

/**
 * Whether the kernel counts an account's processes for each namespace of users by itself, as from 5.14 on it does. It
 * does not count those of root.
 */
function countsProcesses(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
}

/** A program, and before it the bridge where the place leads somewhere. */
function bridged({ door, node }: Layout, command: string): string[] {
  return door === null ? [command] : [node.path, BRIDGE, String(BRIDGE_PORT), `${DOOR}/${SOCKET}`, "", command];
}

async function layOut(place: Place): Promise<Layout> {
  const [system, hidden, node, shown] = await Promise.all([
    systemEntries(),
    telltaleFiles(),
    nodeProgram(),
    shownPaths(place),
  ]);
  const settings = OWN_SETTINGS.map(({ path, text }) => ({ path, text, from: join(place.folder, basename(path)) }));
  for (const { from, text } of settings) await writeFile(from, text, { mode: 0o644 });
  const home = await mkdtemp(join(place.folder, "home-"));
  return { system, hidden, node, shown, settings, home, door: null };
}

function assertInside(cwd: string, { shown }: Layout): void {
  if (cwd === "/tmp" || cwd === HOME || shown.some(({ path }) => isWithin(cwd, path))) return;
  throw new RelayError("config", `nothing can be run in ${cwd}, which the sandbox does not show`);
}

/** Whether programs in the place see a path of this machine, as what it is. */
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

/** What a program has made unremovable stays, for whoever removes the place's folder. */
async function removed(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
}
