import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { LaunchRequest, RunningProgram } from "../../lib/launch.ts";
import { plainEnvironment, programFolders } from "../environment.ts";
import { findProgram } from "../find-program.ts";
import { nodeProgram } from "../node-program.ts";
import { assertUnchanged, isWithin, shownPaths } from "../paths.ts";
import { start } from "../process.ts";
import type { OpenPlace, Place, Sandbox } from "../sandbox.ts";
import { bubblewrapArguments, HOME } from "./arguments.ts";
import type { Layout, Scratch } from "./arguments.ts";
import { namespaceOf } from "./namespace.ts";
import { OWN_SETTINGS, systemEntries, telltaleFiles } from "./system-files.ts";

/** Programs in namespaces of their own, by the given `bwrap` (R-WORK-5). Linux only. */
export function bubblewrap(program: string): Sandbox {
  return {
    kind: "bubblewrap",
    weaknesses: [],
    open: async (place) => await open(program, place),
  };
}

async function open(program: string, place: Place): Promise<OpenPlace> {
  const layout = await layOut(place);
  const isVisible = visibility(layout);
  const folders = [...programFolders().filter(isVisible), join(layout.node.path, "..")];
  const environment = { ...plainEnvironment(), HOME, TMPDIR: "/tmp", PATH: [...new Set(folders)].join(":") };
  const running = new Set<RunningProgram>();
  const launch = async (request: LaunchRequest): Promise<RunningProgram> => {
    await assertUnchanged(layout.shown);
    const command = await findProgram(request.command, { cwd: request.cwd, folders, isVisible });
    const scratch = await scratchIn(place.folder);
    const started = await start({
      ...request,
      command: program,
      args: [...bubblewrapArguments(layout, scratch, request.cwd), command, ...request.args],
      cwd: place.folder,
      environment: { ...environment, ...request.environment },
      processesOf: namespaceOf,
      afterwards: scratch.remove,
    });
    running.add(started);
    void started.exit.then(() => running.delete(started));
    return started;
  };
  return {
    launch,
    environment,
    refusedHosts: () => [],
    close: async () => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
      await removed(layout.home);
    },
  };
}

async function layOut(place: Place): Promise<Layout> {
  const [system, hidden, node, shown] = await Promise.all([
    systemEntries(),
    telltaleFiles(),
    nodeProgram(),
    shownPaths(place),
  ]);
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const settings = OWN_SETTINGS.map(({ path, text }) => ({ path, text, from: join(place.folder, basename(path)) }));
  for (const { from, text } of settings) await writeFile(from, text, { mode: 0o644 });
  const home = await mkdtemp(join(place.folder, "home-"));
  return { system, hidden, node, shown, settings, home, door: null };
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
