import { extname, join } from "node:path";

/** Paths inside a sandbox with its own file system. */

/** The folder of the sandbox's own files. */
export const OWN_FOLDER = "/run/relay";
export const HOME = `${OWN_FOLDER}/home`;
export const EGRESS_FOLDER = `${OWN_FOLDER}/egress`;
/** With this extension every version of Node reads it as a plain JavaScript module. */
export const BRIDGE = `${OWN_FOLDER}/bridge.mjs`;
/** The bridge on the host; JavaScript in a package, like this file. */
export const BRIDGE_FILE = join(import.meta.dirname, `bridge${extname(import.meta.filename)}`);
