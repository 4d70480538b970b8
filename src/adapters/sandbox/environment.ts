import { environmentWith } from "../../lib/exec.ts";

const USUAL_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** What every program is given, and all that it gets of this process's own environment: language, time zone. */
export function plainEnvironment(): Record<string, string> {
  const { LANG, LC_ALL, TZ } = environmentWith({});
  const given: Record<string, string> = { LANG: LANG ?? "C.UTF-8", CI: "1" };
  if (LC_ALL !== undefined) given["LC_ALL"] = LC_ALL;
  if (TZ !== undefined) given["TZ"] = TZ;
  return given;
}

/** Absolute folders in which this process finds its programs, and the usual ones after them; each once. */
export function programFolders(): string[] {
  const own = (environmentWith({})["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return [...new Set([...own, ...USUAL_FOLDERS])];
}
