import { BRIDGE, DOOR, HOME } from "../inner-paths.ts";
import type { ShownPath } from "../paths.ts";
import { BRIDGE_PORT, SOCKET } from "../egress-proxy/socket-proxy.ts";
import type { Place } from "../sandbox.ts";
import { LEASH } from "./liveness-socket.ts";

/** One program in a container. */
export interface ContainerRun {
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
export function containerArguments(run: ContainerRun): string[] {
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
