import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { LaunchRequest, RunningProgram } from "../../../lib/launch.ts";
import type { Outside } from "../egress-proxy/network.ts";
import { network } from "../egress-proxy/network.ts";
import { BRIDGE_PORT, SOCKET, openSocketDoor } from "../egress-proxy/socket-proxy.ts";
import { watchDisk } from "../disk-watch.ts";
import { plainEnvironment } from "../environment.ts";
import type { Holders } from "../limit-enforcement.ts";
import { holdersWeaknesses } from "../limit-enforcement.ts";
import { BRIDGE, BRIDGE_FILE, DOOR, HOME } from "../inner-paths.ts";
import type { ShownPath } from "../paths.ts";
import { assertUnchanged, isWithin, shownPaths } from "../paths.ts";
import { processGroup } from "../process-group.ts";
import { start } from "../process.ts";
import type { OpenPlace, Place, Sandbox } from "../sandbox.ts";
import { clientEnvironment, tellEngine } from "./engine.ts";
import { LEASH, openLeash } from "./liveness-socket.ts";
import { containerName } from "./orphans.ts";
import { RelayError } from "../../../lib/errors.ts";

export interface ContainerOptions {
  /** docker, podman, or what takes the same arguments. */
  command: string;
  /** With Node 18 or later, the agent, and what the repository's checks need; on this machine already. */
  image: string;
  /** Whether the engine bounds memory and processes, as it is found by trying: true where nothing is said. */
  bounds?: boolean;
  outside?: Outside;
}

/** Each program in a container of its own, without a network (R-WORK-5). */
export function container(options: ContainerOptions): Sandbox {
  const holder = options.bounds === false ? "nobody" : "kernel";
  const holders: Holders = { memory: holder, processes: holder, disk: "watched" };
  return {
    kind: "container",
    weaknesses: [
      ...holdersWeaknesses(holders),
      "what is sent to an allowed host is not looked at",
      "root inside is root outside, where Relay runs as root and the containers share its users",
    ],
    holders,
    open: async (place) => await open(options, place),
  };
}

async function open({ command, image, outside = network }: ContainerOptions, place: Place): Promise<OpenPlace> {
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const shown = await shownPaths(place);
  const door = await openSocketDoor(place, outside);
  const leash = await openLeash(door.pathOf(LEASH));
  const home = await openFolder(join(place.folder, "home-"));
  const environment = {
    ...plainEnvironment(),
    HOME,
    TMPDIR: "/tmp",
    ...door.environment(`http://127.0.0.1:${BRIDGE_PORT}`),
  };
  const disk = watchDisk(place);
  const running = new Set<RunningProgram>();
  const launch = async (request: LaunchRequest): Promise<RunningProgram> => {
    await assertUnchanged(shown);
    const own = await openFolder(join(place.folder, "scratch-"));
    await makeMountPoints(own, shown);
    const environmentFile = `${own}.env`;
    const name = containerName();
    const afterwards = async (): Promise<void> => {
      await tellEngine(command, ["rm", "--force", name]);
      for (const path of [own, environmentFile]) await rm(path, { recursive: true, force: true }).catch(() => {});
    };
    await writeFile(environmentFile, environmentLines({ ...environment, ...request.environment }), { mode: 0o600 });
    const started = await start({
      ...request,
      command,
      args: [
        ...containerArguments({
          image,
          name,
          shown,
          bounds: place,
          tmp: own,
          home,
          door: door.folder,
          bridge: BRIDGE_FILE,
          environmentFile,
          user: { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 },
          keepsUser: basename(command) === "podman" && process.getuid?.() !== 0,
          cwd: request.cwd,
          openInput: request.stdin === "open",
        }),
        request.command,
        ...request.args,
      ],
      cwd: place.folder,
      environment: clientEnvironment(),
      processesOf: (child) => {
        const client = processGroup(child.pid ?? 0);
        return {
          ...client,
          kill: () => {
            // The container is no child of the client's, which ends by itself when the container does.
            void tellEngine(command, ["kill", name]).then(() => client.kill());
          },
        };
      },
      afterwards,
      ...(disk === null ? {} : { excess: disk.forProgram() }),
    });
    running.add(started);
    void started.exit.then(() => running.delete(started));
    return started;
  };
  return {
    launch,
    environment,
    refusedHosts: () => door.refusedHosts(),
    close: async () => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
      await Promise.all([door.close(), leash.close()]);
      await rm(home, { recursive: true, force: true }).catch(() => {});
    },
  };
}

async function openFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(prefix);
  await chmod(folder, 0o1777);
  return folder;
}

/** For what is shown below `/tmp`: engines would make them as root, or as nobody, and Relay could not remove them. */
async function makeMountPoints(tmp: string, shown: readonly ShownPath[]): Promise<void> {
  for (const { path, real } of shown.filter((each) => isWithin(each.path, "/tmp"))) {
    const point = join(tmp, relative("/tmp", path));
    const isFolder = (await stat(real)).isDirectory();
    await mkdir(isFolder ? point : dirname(point), { recursive: true });
    if (!isFolder) await writeFile(point, "");
  }
}

/** The lines of an environment file, which knows no quoting. Throws `RelayError` `config` for a value of several lines. */
function environmentLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => {
      if (/[\r\n\0]/.test(name + value) || name.includes("=")) {
        throw new RelayError(
          "config",
          `the variable ${name} cannot be given to a container: its value has several lines`,
        );
      }
      return `${name}=${value}\n`;
    })
    .join("");
}

/** One program in a container. */
interface ContainerRun {
  image: string;
  /** Name of the container, by which it is ended. */
  name: string;
  shown: readonly ShownPath[];
  bounds: Pick<Place, "memoryMb" | "processes">;
  /** Folders of this machine that become the container's `/tmp`, home and door. */
  tmp: string;
  home: string;
  door: string;
  bridge: string;
  /** A file with the program's environment: what stands in arguments can be read by all accounts of the machine. */
  environmentFile: string;
  /** Owner of what the program writes. */
  user: { uid: number; gid: number };
  /** Podman without root keeps the account's number only where it is told to. */
  keepsUser: boolean;
  cwd: string;
  openInput: boolean;
}

/** The arguments of docker or podman before the program's own (R-WORK-5). */
function containerArguments(run: ContainerRun): string[] {
  const { memoryMb, processes } = run.bounds;
  return [
    "run",
    "--rm",
    "--init",
    "--pull=never",
    `--name=${run.name}`,
    "--network=none",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    // Otherwise all that it prints is kept on disk a second time.
    "--log-driver=none",
    "--hostname=relay",
    `--user=${run.user.uid}:${run.user.gid}`,
    ...(run.keepsUser ? ["--userns=keep-id"] : []),
    ...(memoryMb === null ? [] : [`--memory=${memoryMb}m`, `--memory-swap=${memoryMb}m`]),
    ...(processes === null ? [] : [`--pids-limit=${processes}`]),
    ...(run.openInput ? ["--interactive"] : []),
    ...mount(run.tmp, "/tmp", true),
    ...run.shown.flatMap(({ path, real, writable }) => mount(real, path, writable)),
    ...mount(run.home, HOME, true),
    ...mount(run.door, DOOR, false),
    ...mount(run.bridge, BRIDGE, false),
    `--workdir=${run.cwd}`,
    `--env-file=${run.environmentFile}`,
    "--entrypoint=node",
    run.image,
    BRIDGE,
    String(BRIDGE_PORT),
    `${DOOR}/${SOCKET}`,
    `${DOOR}/${LEASH}`,
  ];
}

function mount(source: string, target: string, writable: boolean): string[] {
  const fields = ["type=bind", `source=${source}`, `target=${target}`, ...(writable ? [] : ["readonly"])];
  return ["--mount", fields.map(quoted).join(",")];
}

/** The fields are read as a line of comma-separated values. */
function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
