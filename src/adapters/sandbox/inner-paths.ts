import { fileURLToPath } from "node:url";

/** Where things stand inside a place that has files of its own. */

/** The sandbox's own corner. */
export const OWN_FOLDER = "/run/relay";
export const HOME = `${OWN_FOLDER}/home`;
export const DOOR = `${OWN_FOLDER}/door`;
/** By this name Node takes it for a module of plain JavaScript, whatever its version. */
export const BRIDGE = `${OWN_FOLDER}/bridge.mjs`;
/** The bridge, outside. */
export const BRIDGE_FILE = fileURLToPath(new URL("bridge.ts", import.meta.url));
