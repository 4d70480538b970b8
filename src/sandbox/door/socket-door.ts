import { closeSync, openSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "../sandbox.ts";
import { openDoor } from "./door.ts";
import type { Door } from "./door.ts";
import type { Outside } from "./outside.ts";

/** A door at a socket, for places that have no network at all. */
export interface SocketDoor extends Door {
  /** The folder to be shown to programs: it holds the socket alone. */
  folder: string;
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
  const plain = join(folder, SOCKET);
  if (Buffer.byteLength(plain) <= LONGEST_PATH) return { ...(await openDoor(place, { path: plain }, outside)), folder };
  // The same folder under a short name, as long as it is held open.
  const held = openSync(folder, "r");
  try {
    const door = await openDoor(place, { path: `/proc/self/fd/${held}/${SOCKET}` }, outside);
    return {
      ...door,
      folder,
      close: async () => {
        await door.close();
        closeSync(held);
      },
    };
  } catch (error) {
    closeSync(held);
    throw error;
  }
}
