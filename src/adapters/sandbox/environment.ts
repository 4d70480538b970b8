import { environmentWith } from "../../lib/exec.ts";

const USUAL_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** The environment of every program: of this process's own, only language and time zone. */
export function plainEnvironment(): Record<string, string> {
  const { LANG, LC_ALL, TZ } = environmentWith({});
  const given: Record<string, string> = { LANG: LANG ?? "C.UTF-8", CI: "1" };
  if (LC_ALL !== undefined) given["LC_ALL"] = LC_ALL;
  if (TZ !== undefined) given["TZ"] = TZ;
  return given;
}

/** Absolute folders on this process's PATH, then the usual ones; each once. */
export function programFolders(): string[] {
  const own = (environmentWith({})["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return [...new Set([...own, ...USUAL_FOLDERS])];
}
