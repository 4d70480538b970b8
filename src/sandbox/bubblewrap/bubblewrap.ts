import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { LaunchRequest, RunningProgram } from "../../lib/launch.ts";
import { plainEnvironment, programFolders } from "../environment.ts";
import { hasDoor } from "../door/door.ts";
import { network } from "../door/outside.ts";
import type { Outside } from "../door/outside.ts";
import { BRIDGE_PORT, openSocketDoor, SOCKET } from "../door/socket-door.ts";
import type { SocketDoor } from "../door/socket-door.ts";
import { findProgram } from "../find-program.ts";
import { BRIDGE, BRIDGE_FILE, DOOR, HOME } from "../inside.ts";
import { nodeProgram } from "../node-program.ts";
import { assertUnchanged, isWithin, shownPaths } from "../paths.ts";
import { start } from "../process.ts";
import type { OpenPlace, Place, Sandbox } from "../sandbox.ts";
import { bubblewrapArguments } from "./arguments.ts";
import type { Layout, Scratch } from "./arguments.ts";
import { namespaceOf } from "./namespace.ts";
import { OWN_SETTINGS, systemEntries, telltaleFiles } from "./system-files.ts";

export interface BubblewrapOptions {
  /** Name or path of bubblewrap. */
  program?: string;
  /** Lets programs make namespaces of their own, for bubblewrap before 0.8, which cannot forbid it. */
  nests?: boolean;
  outside?: Outside;
}

const WEAKNESSES = [
  "memory and the number of processes are looked at four times a second; what goes up faster is ended a moment later",
  "disk space is not bounded",
  "what is sent to an allowed host is not looked at",
];
const NESTING =
  "programs may make namespaces of their own, which shows them more of the kernel; bubblewrap 0.8 forbids it";

/** Programs in namespaces of their own, by the given `bwrap` (R-WORK-5). Linux only. */
export function bubblewrap({ program = "bwrap", nests = false, outside = network }: BubblewrapOptions = {}): Sandbox {
  return {
    kind: "bubblewrap",
    weaknesses: nests ? [...WEAKNESSES, NESTING] : WEAKNESSES,
    open: async (place) => await open(place, { program, nests, outside }),
  };
}

async function open(place: Place, { program, nests, outside }: Required<BubblewrapOptions>): Promise<OpenPlace> {
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const shown = await shownPaths(place);
  const door = hasDoor(place) ? await openSocketDoor(place, outside) : null;
  const layout = await layOut(place, shown, door);
  const isVisible = visibility(layout);
  const folders = [...programFolders().filter(isVisible), join(layout.node.path, "..")];
  const environment = {
    ...plainEnvironment(),
    HOME,
    TMPDIR: "/tmp",
    PATH: [...new Set(folders)].join(":"),
    ...door?.environment(`http://127.0.0.1:${BRIDGE_PORT}`),
  };
  const running = new Set<RunningProgram>();
  const launch = async (request: LaunchRequest): Promise<RunningProgram> => {
    await assertUnchanged(layout.shown);
    const command = await findProgram(request.command, { cwd: request.cwd, folders, isVisible });
    const scratch = await scratchIn(place.folder);
    const started = await start({
      ...request,
      command: program,
      args: [
        ...(nests ? [] : ["--disable-userns"]),
        ...bubblewrapArguments(layout, scratch, request.cwd),
        ...bridged(layout, command),
        ...request.args,
      ],
      cwd: place.folder,
      environment: { ...environment, ...request.environment },
      processesOf: (child) => namespaceOf(child, place),
      afterwards: scratch.remove,
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

/** A program, and before it the bridge where the place leads somewhere. */
function bridged({ door, node }: Layout, command: string): string[] {
  return door === null ? [command] : [node.path, BRIDGE, String(BRIDGE_PORT), `${DOOR}/${SOCKET}`, "", command];
}

async function layOut(place: Place, shown: Layout["shown"], door: SocketDoor | null): Promise<Layout> {
  const [system, hidden, node] = await Promise.all([systemEntries(), telltaleFiles(), nodeProgram()]);
  const settings = OWN_SETTINGS.map(({ path, text }) => ({ path, text, from: join(place.folder, basename(path)) }));
  for (const { from, text } of settings) await writeFile(from, text, { mode: 0o644 });
  const home = await mkdtemp(join(place.folder, "home-"));
  return { system, hidden, node, shown, settings, home, door: door && { folder: door.folder, bridge: BRIDGE_FILE } };
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
