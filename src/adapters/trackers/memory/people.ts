import type { IssueAddress } from "../../../domain/issue.ts";
import { endOf } from "../check-detail.ts";
import type { CommitCheck } from "../code-host.ts";
import { checkComment, unfit } from "../texts.ts";
import type { Permission } from "../tracker.ts";
import { type MemoryWorld, commentOf, issueOf, newComment, projectOf, requestOf, threadOf } from "./world.ts";

interface RequestAddress {
  project: string;
  number: number;
}

/** Actions of people and checks in the in-memory tracker, as in a hosted tracker's web pages. */
export type MemoryPeople = ReturnType<typeof memoryPeople>;

export function memoryPeople(world: MemoryWorld) {
  const { clock, provider, projects } = world;
  const touch = (address: IssueAddress) => {
    issueOf(world, address).issue.updatedAt = clock.now();
  };
  const end = ({ project, number }: RequestAddress, state: "merged" | "closed") => {
    const { request } = requestOf(world, project, number);
    if (request.state !== "open") throw unfit(`request ${number} of ${project} is ${request.state} already`);
    request.state = state;
  };
  return {
    /** Creates a project; leaves an existing one unchanged. */
    createProject: (name: string): void => {
      if (projects.has(name)) return;
      projects.set(name, {
        name,
        members: new Map(),
        issues: new Map(),
        requests: new Map(),
        branches: new Set(),
        files: new Map(),
        checks: new Map(),
        nextNumber: 1,
      });
    },
    setMember: (name: string, login: string, permission: Permission, isBot = false): void => {
      projectOf(world, name).members.set(login.toLowerCase(), { login, permission, isBot });
    },
    makeBranch: (name: string, branch: string): void => void projectOf(world, name).branches.add(branch),
    putFile: (name: string, path: string, text: string): void => void projectOf(world, name).files.set(path, text),

    openIssue: (
      name: string,
      author: string,
      given: { title: string; body?: string; labels?: string[]; assignees?: string[] },
    ): IssueAddress => {
      const project = projectOf(world, name);
      const address = { provider, externalProjectId: name, externalIssueId: String(project.nextNumber) };
      project.nextNumber += 1;
      const at = { createdAt: clock.now(), updatedAt: clock.now() };
      const rest = { body: "", labels: [], assignees: [], state: "open" as const, url: null };
      project.issues.set(address.externalIssueId, {
        issue: { ...rest, confidential: false, commentCount: 0, ...given, ...address, ...at, author },
        comments: [],
      });
      return address;
    },
    comment: (address: IssueAddress, author: string, body: string): string => {
      const project = projectOf(world, address.externalProjectId);
      const comment = newComment(world, project, { author, body, threadId: null });
      issueOf(world, address).comments.push(comment);
      touch(address);
      return comment.id;
    },
    editComment: (address: IssueAddress, id: string, body: string, login: string | null = null): void => {
      checkComment(body);
      const { author } = Object.assign(commentOf(world, address, id), { body, editedAt: clock.now() });
      world.editors.set(id, login ?? author);
      touch(address);
    },
    deleteComment: (address: IssueAddress, id: string): void => {
      const { comments } = issueOf(world, address);
      comments.splice(comments.indexOf(commentOf(world, address, id)), 1);
      touch(address);
    },

    /** Comments in a review: on a line, in a thread, or under the request as a whole. */
    reviewComment: (
      request: RequestAddress,
      author: string,
      body: string,
      place: { path: string; line: number } | { threadId: string } | null,
    ): { threadId: string } => {
      const threadId = place !== null && "threadId" in place ? place.threadId : null;
      const thread = threadId === null ? null : threadOf(world, request, threadId);
      const comment = newComment(world, projectOf(world, request.project), { author, body, threadId });
      if (thread !== null) {
        thread.comments.push(comment);
        return { threadId: thread.id };
      }
      const { path, line } = place !== null && "path" in place ? place : { path: null, line: null };
      const { threads } = requestOf(world, request.project, request.number);
      threads.push({ id: comment.id, path, line, resolved: false, comments: [comment] });
      return { threadId: comment.id };
    },
    resolveThread: (request: RequestAddress, threadId: string): void => {
      threadOf(world, request, threadId).resolved = true;
    },
    mergeRequest: (request: RequestAddress): void => end(request, "merged"),
    closeRequest: (request: RequestAddress): void => end(request, "closed"),
    reportCheck: (name: string, commit: string, check: Pick<CommitCheck, "name" | "outcome" | "detail">): void => {
      const { checks } = projectOf(world, name);
      const ofCommit = checks.get(commit) ?? new Map<string, CommitCheck>();
      checks.set(commit, ofCommit.set(check.name, { ...check, detail: endOf(check.detail), url: null }));
    },
    labelsOfRequest: ({ project, number }: RequestAddress): string[] => [...requestOf(world, project, number).labels],
  };
}
