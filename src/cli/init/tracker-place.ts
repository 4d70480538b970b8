import type { HostedName } from "../../domain/issue.ts";
import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import { publicRemoteUrl } from "../../code/git/remote-url.ts";
import { RelayError } from "../../lib/errors.ts";
import { exec } from "../../lib/exec.ts";

/** The web address of a tracker, and a repository there. */
export interface TrackerPlace {
  /** Null if the address does not show it. */
  tracker: HostedName | null;
  /** `https://github.com`, `https://gitlab.example.com`. */
  web: string;
  /** `owner/name`. */
  project: string | null;
}

/** The place in the remote `origin` of the repository in this directory; null without a remote on another machine. */
export async function placeOfOrigin(directory: string): Promise<TrackerPlace | null> {
  const { code, stdout } = await exec("git", ["-C", directory, "remote", "get-url", "origin"]);
  const url = code === 0 ? publicRemoteUrl(stdout.toString("utf8")) : undefined;
  return url === undefined ? null : placeOfRemote(url);
}

/** The place that the address of a remote, without secrets, leads to. */
export function placeOfRemote(url: string): TrackerPlace | null {
  const { protocol, host, hostname, pathname } = new URL(url);
  const project = pathname.replace(/^\/+/, "").replace(/\/*(?:\.git)?\/*$/, "");
  if (!/^[\w.-]+(?:\/[\w.-]+)+$/.test(project)) return null;
  // The port of ssh is none of the web pages'.
  const web = protocol === "ssh:" || protocol === "git:" ? `https://${hostname}` : `${protocol}//${host}`;
  return { tracker: trackerAt(hostname), web, project };
}

/** By custom, people name their own servers after the product. */
function trackerAt(hostname: string): HostedName | null {
  return HOSTED_PROVIDERS.find(({ setUp }) => setUp.isHost(hostname))?.name ?? null;
}

/** Parses `--url`: the address of the tracker, or of a repository there. Throws `usage` for anything else. */
export function placeOfAddress(address: string, tracker: HostedName | null): TrackerPlace {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new RelayError(
      "usage",
      "--url must be like https://git.example.com, without a user and without a token in it",
    );
  }
  const parts = url.pathname.split("/").filter((part) => part !== "");
  // A single part is the path of a GitLab server installed below its host.
  if (parts.length < 2) return { tracker: tracker ?? trackerAt(url.hostname), web: trimmed(url), project: null };
  const place = placeOfRemote(`${url.origin}${url.pathname}`);
  if (place === null) throw new RelayError("usage", `--url ${url.origin}${url.pathname} leads to no repository`);
  return { ...place, tracker: tracker ?? place.tracker };
}

function trimmed(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
