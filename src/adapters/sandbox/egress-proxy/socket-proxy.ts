import { closeSync, openSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxSpec } from "../sandbox.ts";
import { openEgressProxy, type EgressProxy } from "./egress-proxy.ts";
import type { Network } from "./network.ts";

/** An egress proxy on a Unix socket, for sandboxes without any network. */
export interface SocketProxy extends EgressProxy {
  /** The folder to show to programs: it holds sockets only. */
  folder: string;
  /** A path for another socket in it, short enough for the system, while the proxy is open. */
  pathOf(name: string): string;
}

/** Name of the proxy's socket in its folder. */
export const SOCKET = "socket";

/** The port that the bridge listens on inside a sandbox; an unusual one, since programs there take ports too. */
export const BRIDGE_PORT = 48_213;

/** Systems allow about a hundred characters for the path of a socket. */
const LONGEST_PATH = 100;

/** Opens an egress proxy on a socket in a new folder below the sandbox's own. */
export async function openSocketProxy(spec: SandboxSpec, network: Network): Promise<SocketProxy> {
  const folder = await mkdtemp(join(spec.folder, "egress-"));
  // A short alias of the folder, valid while the descriptor is open.
  const held = Buffer.byteLength(join(folder, SOCKET)) <= LONGEST_PATH ? null : openSync(folder, "r");
  const pathOf = (name: string): string => (held === null ? join(folder, name) : `/proc/self/fd/${held}/${name}`);
  const release = (): void => {
    if (held !== null) closeSync(held);
  };
  try {
    const egress = await openEgressProxy(spec, { path: pathOf(SOCKET) }, network);
    const close = async (): Promise<void> => {
      await egress.close();
      release();
    };
    return { ...egress, folder, pathOf, close };
  } catch (error) {
    release();
    throw error;
  }
}
