import { gitIn } from "./git.ts";

/** The URLs of a repository's remotes, as `publicRemoteUrl` gives them; those with a local path are left out. */
export async function remotesOf(directory: string): Promise<string[]> {
  const { stdout } = await gitIn(directory, ["config", "--get-regexp", String.raw`^remote\..*\.url$`]);
  const lines = stdout.toString("utf8").split("\n");
  return lines.flatMap((line) => publicRemoteUrl(line.slice(line.indexOf(" ") + 1)) ?? []);
}

/**
 * The URL of a remote without user, password, query and fragment, so that it contains no token (R-EXP-4); `undefined`
 * for a local path.
 */
export function publicRemoteUrl(remote: string): string | undefined {
  const trimmed = remote.trim();
  const scp = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+\.[A-Za-z0-9-]+):(?!\/\/)([^\s?#]+)$/.exec(trimmed);
  if (scp) return `ssh://${scp[1]}/${scp[2]?.replace(/^\/+/, "")}`;
  if (!URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (!["https:", "http:", "ssh:", "git:"].includes(url.protocol)) return undefined;
  return `${url.protocol}//${url.host}${url.pathname}`;
}
