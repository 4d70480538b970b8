import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { ExceededLimit, LaunchRequest, RunningProgram } from "../../../lib/launch.ts";
import { type Network, hostNetwork } from "../egress-proxy/network.ts";
import { BRIDGE_PORT, SOCKET, openSocketProxy } from "../egress-proxy/socket-proxy.ts";
import { plainEnvironment } from "../environment.ts";
import { type LimitEnforcement, enforcementWeaknesses, tooManyProcesses, tooMuchMemory } from "../limit-enforcement.ts";
import { BRIDGE, BRIDGE_FILE, EGRESS_FOLDER, HOME } from "../inner-paths.ts";
import { type ShownPath, assertUnchanged, isWithin, shownPaths } from "../paths.ts";
import { processGroup } from "../process-group.ts";
import { programsOf } from "../programs.ts";
import type { OpenSandbox, SandboxSpec, Sandbox } from "../sandbox.ts";
import { clientEnvironment, tryEngine } from "./engine.ts";
import { once } from "node:events";
import { type Socket, createServer } from "node:net";
import { containerName } from "./orphans.ts";
import { RelayError } from "../../../lib/errors.ts";

export interface ContainerOptions {
  /** docker, podman, or a compatible program. */
  command: string;
  /** With Node 18 or later, the agent, and what the repository's checks need; on this machine already. */
  image: string;
  /** Whether the engine enforces limits on memory and processes, determined by a probe; true by default. */
  bounds?: boolean;
  network?: Network;
}

/** Runs each program in a container of its own, without a network (R-WORK-5). */
export function container(options: ContainerOptions): Sandbox {
  const holder = options.bounds === false ? "nobody" : "kernel";
  const enforcement: LimitEnforcement = { memory: holder, processes: holder, disk: "watched" };
  return {
    kind: "container",
    weaknesses: [
      ...enforcementWeaknesses(enforcement),
      "what is sent to an allowed host is not inspected",
      "root inside is root outside, where Relay runs as root and the containers share its users",
    ],
    enforcement,
    open: async (spec) => await open(options, spec),
  };
}

async function open(
  { command, image, network = hostNetwork }: ContainerOptions,
  spec: SandboxSpec,
): Promise<OpenSandbox> {
  await mkdir(spec.folder, { recursive: true, mode: 0o700 });
  const shown = await shownPaths(spec);
  const egress = await openSocketProxy(spec, network);
  const liveness = await openLivenessSocket(egress.pathOf(LIVENESS_SOCKET));
  const home = await openFolder(join(spec.folder, "home-"));
  const environment = {
    ...plainEnvironment(),
    HOME,
    TMPDIR: "/tmp",
    ...egress.environment(`http://127.0.0.1:${BRIDGE_PORT}`),
  };
  const programs = programsOf(spec);
  const launch = async (request: LaunchRequest): Promise<RunningProgram> => {
    await assertUnchanged(shown);
    const own = await openFolder(join(spec.folder, "scratch-"));
    await makeMountPoints(own, shown);
    const environmentFile = `${own}.env`;
    const name = containerName();
    const afterwards = async (): Promise<void> => {
      await tryEngine(command, ["rm", "--force", name]);
      for (const path of [own, environmentFile]) await rm(path, { recursive: true, force: true }).catch(() => {});
    };
    await writeFile(environmentFile, environmentLines({ ...environment, ...request.environment }), { mode: 0o600 });
    return await programs.start({
      ...request,
      command,
      args: [
        ...containerArguments({
          image,
          name,
          shown,
          bounds: spec,
          tmp: own,
          home,
          egress: egress.folder,
          bridge: BRIDGE_FILE,
          environmentFile,
          user: { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 },
          keepsUser: basename(command) === "podman" && process.getuid?.() !== 0,
          cwd: request.cwd,
          openInput: request.stdin === "open",
        }),
        ...withPath(request.pathFirst ?? []),
        request.command,
        ...request.args,
      ],
      cwd: spec.folder,
      environment: clientEnvironment(),
      processesOf: (child) => {
        const client = processGroup(child.pid ?? 0);
        return {
          ...client,
          exceededBy: (code) => exceededBy(code, spec),
          kill: () => {
            // The container is no child of the client, which exits when the container does.
            void tryEngine(command, ["kill", name]).then(() => client.kill());
          },
        };
      },
      afterwards,
    });
  };
  return {
    launch,
    environment,
    refusedHosts: () => egress.refusedHosts(),
    unreachedHosts: () => egress.unreachedHosts(),
    close: async () => {
      await programs.endAll();
      await Promise.all([egress.close(), liveness.close()]);
      await rm(home, { recursive: true, force: true }).catch(() => {});
    },
  };
}

/** The limit that the bridge's exit code reports as exceeded; null for none. */
function exceededBy(code: number | null, { memoryMb, processes }: SandboxSpec): ExceededLimit | null {
  if (code === 221 && memoryMb !== null) return tooMuchMemory(memoryMb);
  return code === 222 && processes !== null ? tooManyProcesses(processes) : null;
}

/** The PATH is the image's own, and known only inside. */
function withPath(folders: readonly string[]): string[] {
  const script = 'found=$(command -v "$1" || echo "$1"); shift; PATH="$0:$PATH" exec "$found" "$@"';
  return folders.length === 0 ? [] : ["sh", "-c", script, folders.join(":")];
}

async function openFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(prefix);
  await chmod(folder, 0o1777);
  return folder;
}

/** Mount points below `/tmp`: engines would create them as root, or as nobody, and Relay could not remove them. */
async function makeMountPoints(tmp: string, shown: readonly ShownPath[]): Promise<void> {
  for (const { path, real } of shown.filter((each) => isWithin(each.path, "/tmp"))) {
    const point = join(tmp, relative("/tmp", path));
    const isFolder = (await stat(real)).isDirectory();
    await mkdir(isFolder ? point : dirname(point), { recursive: true });
    if (!isFolder) await writeFile(point, "");
  }
}

/** An environment file, which has no quoting. Throws `RelayError` `config` for a value of several lines. */
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
  /** Name of the container, to stop it by. */
  name: string;
  shown: readonly ShownPath[];
  bounds: Pick<SandboxSpec, "memoryMb" | "processes">;
  /** Folders of this machine that become the container's `/tmp`, home and egress folder. */
  tmp: string;
  home: string;
  egress: string;
  bridge: string;
  /** A file with the program's environment: every account of the machine can read arguments. */
  environmentFile: string;
  /** Owner of what the program writes. */
  user: { uid: number; gid: number };
  /** Rootless podman keeps the account's user id only on request. */
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
    // Otherwise the engine stores all output on disk a second time.
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
    ...mount(run.egress, EGRESS_FOLDER, false),
    ...mount(run.bridge, BRIDGE, false),
    `--workdir=${run.cwd}`,
    `--env-file=${run.environmentFile}`,
    "--entrypoint=node",
    run.image,
    BRIDGE,
    String(BRIDGE_PORT),
    `${EGRESS_FOLDER}/${SOCKET}`,
    `${EGRESS_FOLDER}/${LIVENESS_SOCKET}`,
  ];
}

function mount(source: string, target: string, writable: boolean): string[] {
  const fields = ["type=bind", `source=${source}`, `target=${target}`, ...(writable ? [] : ["readonly"])];
  return ["--mount", fields.map(quoted).join(",")];
}

/** The engine reads the fields as one CSV line. */
function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Name of the liveness socket in the egress folder. */
const LIVENESS_SOCKET = "liveness";

const MOST_CONNECTIONS = 64;

/** A container exits when its connection to the liveness socket closes, so that none outlives Relay. */
async function openLivenessSocket(path: string): Promise<{ close: () => Promise<void> }> {
  const held = new Set<Socket>();
  const server = createServer((socket) => {
    held.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => held.delete(socket));
    socket.resume();
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen({ path, writableAll: true });
  await once(server, "listening");
  return {
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of held) socket.destroy();
      await closed;
    },
  };
}
