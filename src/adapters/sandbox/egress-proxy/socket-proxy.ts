import { closeSync, openSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../sandbox.ts";
import { openDoor } from "./egress-proxy.ts";
import type { Door } from "./egress-proxy.ts";
import type { Outside } from "./network.ts";

/** A door at a socket, for places that have no network at all. */
export interface SocketDoor extends Door {
  /** The folder to be shown to programs: it holds the socket alone. */
  folder: string;
  /** A short enough path for another socket in it, while the door is open. */
  pathOf(name: string): string;
}

/** Name of the socket in the door's folder. */
export const SOCKET = "socket";

/** The port inside a place at which its bridge listens. It has its network to itself, but programs take ports too. */
export const BRIDGE_PORT = 48_213;

/** Systems take about a hundred characters for the path of a socket. */
const LONGEST_PATH = 100;

/** Opens a door in a folder below the place's own. */
export async function openSocketDoor(place: Place, outside: Outside): Promise<SocketDoor> {
  const folder = await mkdtemp(join(place.folder, "door-"));
  // The same folder under a short name, as long as it is held open.
  const held = Buffer.byteLength(join(folder, SOCKET)) <= LONGEST_PATH ? null : openSync(folder, "r");
  const pathOf = (name: string): string => (held === null ? join(folder, name) : `/proc/self/fd/${held}/${name}`);
  const release = (): void => {
    if (held !== null) closeSync(held);
  };
  try {
    const door = await openDoor(place, { path: pathOf(SOCKET) }, outside);
    const close = async (): Promise<void> => {
      await door.close();
      release();
    };
    return { ...door, folder, pathOf, close };
  } catch (error) {
    release();
    throw error;
  }
}
