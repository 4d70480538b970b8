import { type IssueReader, openReader } from "../app/trackers/connections.ts";
import type { Relay } from "../app/relay.ts";
import { HOSTED_PROVIDERS, type TrackerConfig } from "../adapters/trackers/registry.ts";
import type { HostedProvider } from "../adapters/trackers/provider.ts";
import type { IssueFile } from "../adapters/trackers/issue-file/parse.ts";
import { type TrackerComment, atLeast } from "../adapters/trackers/tracker.ts";
import { remotesOf } from "../code/git/remote-url.ts";
import { placeOfRemote } from "./init/tracker-place.ts";
import { sleep } from "../lib/clock.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import { silentLog } from "../lib/log.ts";

/** Where an address leads. */
export interface IssuePage {
  provider: HostedProvider<TrackerConfig>;
  /** URL of the tracker's web pages. */
  web: string;
  project: string;
  number: string;
}

/** An issue as a file says it, its address, and which of its people are machines. */
export interface GivenIssue {
  issue: IssueFile;
  url: string | null;
  bots: string[];
}

/** People whose permission is asked for, those who spoke last. */
const MOST_ASKED = 100;

/** The issue that a URL leads to, on a tracker that the configuration names. Throws `usage` with the remedy. */
export function issuePage(address: string, config: TrackerConfig): IssuePage {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") {
    throw new RelayError("usage", "give the URL of an issue as the browser shows it, without a user or a token in it");
  }
  const place = `${url.host}${url.pathname}`.toLowerCase();
  for (const provider of HOSTED_PROVIDERS) {
    const web = provider.setUp.webOf(config).replace(/\/+$/, "");
    const root = web.replace(/^https?:\/\//, "").toLowerCase();
    if (!place.startsWith(`${root}/`)) continue;
    const page = provider.pageOf(url.pathname.slice(root.length - url.host.length + 1));
    if (page?.kind === "issue") return { provider, web, project: page.project, number: page.number };
    const what = page === null ? "leads to no issue" : "is a request for review, and no issue";
    throw new RelayError("usage", `${url.origin}${url.pathname} ${what}; give the URL of an issue`);
  }
  const known = HOSTED_PROVIDERS.map(({ title, setUp }) => `${title} at ${setUp.webOf(config)}`).join(", ");
  throw new RelayError(
    "usage",
    `${url.host} is none of the trackers that Relay knows (${known}); for your own server set github.api_url or gitlab.url`,
  );
}

/** Throws `usage` unless a remote of the repository in this directory is the issue's project. */
export async function checkIsCloneOf({ web, project }: IssuePage, directory: string): Promise<void> {
  const remotes = (await remotesOf(directory)).flatMap((url) => placeOfRemote(url) ?? []);
  const host = new URL(web).hostname;
  const path = new URL(web).pathname.replace(/^\/+|\/+$/g, "");
  const wanted = path === "" ? project : `${path}/${project}`;
  const isThere = remotes.some(
    (one) =>
      new URL(one.web).hostname === host &&
      [wanted, project].some((name) => name.toLowerCase() === one.project?.toLowerCase()),
  );
  if (isThere) return;
  throw new RelayError("usage", `this folder is no clone of ${project}; give the folder of one with --repo`);
}

/**
 * Reads an issue with its whole discussion; nothing is written to the tracker. Whose words count comes from the
 * permissions there, as far as the credentials show them. Throws the tracker's errors.
 */
export async function readHostedIssue(page: IssuePage, relay: Relay): Promise<GivenIssue> {
  const { provider, project, number } = page;
  const address = { provider: provider.name, externalProjectId: project, externalIssueId: number };
  const { config, db, clock } = relay;
  const reader = await openReader(provider.name, config, { db, clock, sleep, log: silentLog });
  if (reader === null) {
    throw new RelayError("config", `there are no credentials for ${provider.title}; ${provider.signIn}`);
  }
  try {
    const found = await reader.getIssue(address);
    const comments: TrackerComment[] = [];
    for (let cursor: string | null = null; ;) {
      const next = await reader.listComments(address, cursor);
      comments.push(...next.comments);
      cursor = next.next;
      if (cursor === null) break;
    }
    const { title, body, author, labels, assignees, createdAt } = found;
    const url = found.url ?? `${page.web}/${project}/issues/${number}`;
    const people = comments.filter(({ isBot }) => !isBot).map((comment) => comment.author);
    const maintainers = await writersAmong(people, project, reader);
    const told = comments.map((comment) => ({ author: comment.author, at: comment.createdAt, body: comment.body }));
    const fields = { title, body, author, labels, assignees, maintainers, createdAt, url };
    const bots = new Set(comments.filter(({ isBot }) => isBot).map((comment) => comment.author));
    return { issue: { ...fields, number: Number(number), comments: told }, url, bots: [...bots] };
  } catch (cause) {
    if (!(cause instanceof RelayError) || reader.permissionOf !== undefined) throw cause;
    throw new RelayError(cause.code, `${messageOf(cause)}; Relay asked without credentials: ${provider.signIn}`, {
      cause,
    });
  }
}

async function writersAmong(people: string[], project: string, { permissionOf }: IssueReader): Promise<string[]> {
  const asked = permissionOf === undefined ? [] : [...new Set(people.toReversed())].slice(0, MOST_ASKED);
  const writers: string[] = [];
  for (const login of asked) {
    if (permissionOf !== undefined && atLeast(await permissionOf(project, login), "write")) writers.push(login);
  }
  return writers;
}
