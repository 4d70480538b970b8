import { missing } from "../missing.ts";
import type { IssueAddress, Provider } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import { checkComment, unfit } from "../texts.ts";
import type { CommitCheck, PullRequest, ReviewThread } from "../code-host.ts";
import type { Permission, TrackerComment, TrackerIssue } from "../tracker.ts";

/** The in-memory state of one project. Issues and requests share one sequence of numbers. */
export interface MemoryProject {
  name: string;
  members: Map<string, { login: string; permission: Permission; isBot: boolean }>;
  issues: Map<string, { issue: TrackerIssue; comments: TrackerComment[] }>;
  requests: Map<number, { request: PullRequest; labels: string[]; threads: ReviewThread[] }>;
  /** Branches other than the default one, and the files of the default one. */
  branches: Set<string>;
  files: Map<string, string>;
  checks: Map<string, Map<string, CommitCheck>>;
  nextNumber: number;
}

export interface MemoryWorld {
  readonly provider: Provider;
  readonly clock: Clock;
  readonly projects: Map<string, MemoryProject>;
  /** Logins by the comment or issue, and the emoji of their reaction. */
  readonly reactions: Map<string, Set<string>>;
  /** Who edited a comment last, by its id; comments that are hidden. */
  readonly editors: Map<string, string>;
  readonly nextId: () => string;
}

export function openWorld(provider: Provider, clock: Clock): MemoryWorld {
  let last = 0;
  return {
    provider,
    clock,
    projects: new Map(),
    reactions: new Map(),
    editors: new Map(),
    nextId: () => String((last += 1)),
  };
}

/** @throws RelayError `not_found` */
export function projectOf({ projects }: MemoryWorld, name: string): MemoryProject {
  const project = projects.get(name);
  if (project) return project;
  throw missing(`there is no project ${name}`);
}

/** @throws RelayError `not_found` */
export function issueOf(world: MemoryWorld, { externalProjectId, externalIssueId }: IssueAddress) {
  const found = projectOf(world, externalProjectId).issues.get(externalIssueId);
  if (found) return found;
  throw missing(`there is no issue ${externalIssueId} in ${externalProjectId}`);
}

/** @throws RelayError `not_found` */
export function commentOf(world: MemoryWorld, address: IssueAddress, id: string): TrackerComment {
  const comment = issueOf(world, address).comments.find((one) => one.id === id);
  if (comment) return comment;
  throw missing(`there is no comment ${id} on issue ${address.externalIssueId}`);
}

/** @throws RelayError `not_found` */
export function requestOf(world: MemoryWorld, name: string, number: number) {
  const found = projectOf(world, name).requests.get(number);
  if (found) return found;
  throw missing(`there is no pull request ${number} in ${name}`);
}

/** @throws RelayError `not_found` */
export function threadOf(world: MemoryWorld, at: { project: string; number: number }, id: string): ReviewThread {
  const thread = requestOf(world, at.project, at.number).threads.find((one) => one.id === id);
  if (thread) return thread;
  throw missing(`there is no thread ${id} at request ${at.number} of ${at.project}`);
}

export function permissionIn(project: MemoryProject, login: string): Permission {
  return project.members.get(login.toLowerCase())?.permission ?? "none";
}

/** @throws RelayError `invalid` */
export function requireMember(project: MemoryProject, login: string): void {
  if (permissionIn(project, login) === "none") throw unfit(`${login} is not a member of ${project.name}`);
}

/** A comment that opens a thread, unless it replies in one. @throws RelayError `invalid` */
export function newComment(
  { clock, nextId }: MemoryWorld,
  project: MemoryProject,
  { author, body, threadId }: { author: string; body: string; threadId: string | null },
): TrackerComment {
  checkComment(body);
  const id = nextId();
  const isBot = project.members.get(author.toLowerCase())?.isBot ?? false;
  return {
    id,
    threadId: threadId ?? id,
    replyToId: threadId,
    author,
    isBot,
    body,
    createdAt: clock.now(),
    editedAt: null,
  };
}

/** Runs synchronous work as an async call: exceptions become rejections. */
export async function answer<T>(work: () => T): Promise<T> {
  await Promise.resolve();
  return work();
}
