import {
  addNote,
  award,
  edit,
  editNote,
  makeLabels,
  removeNote,
  resolveThread,
  type Place,
  type World,
} from "./changes.ts";
import { issuePayload, mergeRequestPayload, pipelinePayload } from "./payloads.ts";
import {
  type AccessLevel,
  type CommitStatus,
  type Hook,
  type Issue,
  type MergeRequest,
  type Note,
  type Noteable,
  type Project,
  type User,
  findProject,
  findUser,
} from "./state.ts";

export type Kind = "issue" | "merge_request";
/** An issue or a merge request by the path of its project and its number. */
export interface At {
  project: string;
  iid: number;
  kind?: Kind;
}

/** What people do in the web pages, and what an administrator sets up. Each change makes the hooks that GitLab makes. */
export interface People {
  user(username: string, options?: { bot?: boolean; blocked?: boolean }): number;
  /** Gives the user a token for the API. */
  token(username: string, token: string, scopes?: string[]): void;
  project(path: string, options?: Partial<Pick<Project, "visibility" | "cloneUrl">>): number;
  /** Level 0 takes the membership away. */
  member(project: string, username: string, level: AccessLevel): void;
  hook(project: string, url: string, options?: Partial<Pick<Hook, "token" | "signingToken" | "events">>): number;
  branch(project: string, name: string): void;
  file(project: string, path: string, content: string, branch?: string): void;
  openIssue(
    project: string,
    author: string,
    issue: {
      title: string;
      description?: string;
      labels?: string[];
      assignees?: string[];
      confidential?: boolean;
      type?: Issue["type"];
    },
  ): number;
  edit(
    at: At,
    actor: string,
    change: {
      title?: string | undefined;
      description?: string | undefined;
      labels?: string[] | undefined;
      confidential?: boolean | undefined;
      assignees?: string[] | undefined;
      reviewers?: string[] | undefined;
      state?: "opened" | "closed" | "merged" | undefined;
    },
  ): void;
  /** A note on its own, or a reply into a thread. */
  comment(
    at: At,
    author: string,
    body: string,
    options?: {
      thread?: string;
      system?: boolean;
      internal?: boolean;
      position?: { path: string; line: number } | null;
    },
  ): { id: number; thread: string };
  /** Settles a thread of a merge request. */
  resolve(at: At, username: string, thread: string): void;
  editComment(at: At, id: number, actor: string, body: string): void;
  deleteComment(at: At, id: number): void;
  react(at: At, comment: number | null, username: string, emoji: string): void;
  openMergeRequest(
    project: string,
    author: string,
    request: { title: string; source: string; target?: string; from?: string },
  ): number;
  approve(at: At, actor: string, approved: boolean): void;
  /** A review that asks for changes; what is to change is said in comments. */
  requestChanges(at: At, actor: string): void;
  /** A pipeline of the merge request whose branch it is; `ofBranch`: of the branch alone. */
  pipeline(
    project: string,
    actor: string,
    branch: string,
    status: "success" | "failed" | "running" | "canceled",
    options?: { ofBranch?: boolean },
  ): void;
  /** A job of the commit's pipeline, or with `trace` null another service; one of the same name was run again. */
  job(project: string, sha: string, job: Pick<CommitStatus, "name" | "status"> & Partial<CommitStatus>): number;
}

const EVERYTHING = {
  issues: true,
  confidentialIssues: true,
  notes: true,
  confidentialNotes: true,
  mergeRequests: true,
  pipelines: true,
  emoji: false,
};

export function peopleOf(world: World): People {
  const { state } = world;
  const userNamed = (name: string): User => findUser(state, name) ?? missing(`user ${name}`);
  const projectNamed = (path: string): Project => findProject(state, path) ?? missing(`project ${path}`);
  const place = ({ project: path, iid, kind = "issue" }: At): Place => {
    const project = projectNamed(path);
    const all: Noteable[] = kind === "issue" ? project.issues : project.mergeRequests;
    return { project, noteable: all.find((one) => one.iid === iid) ?? missing(`${kind} ${iid} in ${path}`) };
  };
  const blank = (author: User) => {
    const now = state.now();
    return {
      id: state.nextId(),
      author,
      state: "opened" as const,
      notes: [],
      awards: [],
      locked: false,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
    };
  };

  return {
    user: (username, { bot = false, blocked = false } = {}) => {
      const known = findUser(state, username);
      if (known) known.state = blocked ? "blocked" : "active";
      else
        state.users.push({ id: state.nextId(), username, name: username, bot, state: blocked ? "blocked" : "active" });
      return userNamed(username).id;
    },
    token: (username, token, scopes = ["api"]) => {
      state.tokens.set(token, { user: userNamed(username), scopes });
    },
    project: (path, { visibility = "private", cloneUrl = null } = {}) => {
      const id = state.nextId();
      const empty = {
        members: new Map(),
        labels: [],
        issues: [],
        mergeRequests: [],
        files: new Map(),
        hooks: [],
        statuses: [],
      };
      state.projects.push({ ...empty, id, path, visibility, cloneUrl, branches: new Map([["main", commit(id)]]) });
      return id;
    },
    member: (path, username, level) => {
      const { members } = projectNamed(path);
      if (level === 0) members.delete(userNamed(username).id);
      else members.set(userNamed(username).id, level);
    },
    hook: (path, url, { token = null, signingToken = null, events = EVERYTHING } = {}) => {
      const id = state.nextId();
      projectNamed(path).hooks.push({ id, url, token, signingToken, events, createdAt: state.now(), log: [] });
      return id;
    },
    branch: (path, name) => void projectNamed(path).branches.set(name, commit(state.nextId())),
    file: (path, file, content, branch = "main") => void projectNamed(path).files.set(`${branch}:${file}`, content),

    openIssue: (
      path,
      author,
      { title, description = "", labels = [], assignees = [], confidential = false, type = "Issue" },
    ) => {
      const project = projectNamed(path);
      const actor = userNamed(author);
      makeLabels(state, project, labels);
      const issue: Issue = {
        ...blank(actor),
        kind: "Issue",
        iid: project.issues.length + 1,
        title,
        description,
        labels,
        assignees: assignees.map(userNamed),
        confidential,
        type,
      };
      project.issues.push(issue);
      state.lags.opens(issue);
      world.announce(project, "issues", () => issuePayload(world, project, issue, { actor }));
      return issue.iid;
    },
    edit: (at, actor, { assignees, reviewers, ...change }) =>
      edit(world, place(at), userNamed(actor), {
        ...change,
        ...(assignees ? { assignees: assignees.map(userNamed) } : {}),
        ...(reviewers ? { reviewers: reviewers.map(userNamed) } : {}),
      }),
    comment: (at, author, body, options = {}) => {
      const { note } = addNote(world, place(at), userNamed(author), { body, ...options });
      return note ? { id: note.id, thread: note.discussionId } : { id: 0, thread: "" };
    },
    resolve: (at, username, thread) => resolveThread(world, place(at), thread, userNamed(username)),
    editComment: (at, id, actor, body) =>
      void editNote(world, place(at), noteAt(place(at), id), userNamed(actor), body),
    deleteComment: (at, id) => removeNote(state, place(at), noteAt(place(at), id)),
    react: (at, comment, username, emoji) => {
      const where = place(at);
      award(world, where, comment === null ? null : noteAt(where, comment), userNamed(username), emoji);
    },
    openMergeRequest: (path, author, { title, source, target = "main", from = path }) => {
      const project = projectNamed(path);
      const actor = userNamed(author);
      const request: MergeRequest = {
        ...blank(actor),
        kind: "MergeRequest",
        conflicts: false,
        iid: project.mergeRequests.length + 1,
        title,
        description: "",
        labels: [],
        assignees: [],
        reviewers: [],
        sourceProjectId: projectNamed(from).id,
        sourceBranch: source,
        targetBranch: target,
      };
      project.mergeRequests.push(request);
      world.announce(project, "mergeRequests", () =>
        mergeRequestPayload(world, project, request, { actor, action: "open" }),
      );
      return request.iid;
    },
    approve: ({ project: path, iid }, username, approved) => {
      const project = projectNamed(path);
      const request = project.mergeRequests.find((one) => one.iid === iid) ?? missing(`merge request ${iid}`);
      const change = { actor: userNamed(username), action: approved ? ("approved" as const) : ("unapproved" as const) };
      world.announce(project, "mergeRequests", () => mergeRequestPayload(world, project, request, change));
    },
    requestChanges: ({ project: path, iid }, username) => {
      const project = projectNamed(path);
      const request = project.mergeRequests.find((one) => one.iid === iid) ?? missing(`merge request ${iid}`);
      const actor = userNamed(username);
      if (!request.reviewers.includes(actor)) request.reviewers.push(actor);
      const payload = mergeRequestPayload(world, project, request, { actor, action: "update", before: { ...request } });
      const reviewer = (is: string) => [{ id: actor.id, username, state: is, re_requested: false }];
      const reviewers = { previous: reviewer("unreviewed"), current: reviewer("requested_changes") };
      world.announce(project, "mergeRequests", () => ({ ...payload, changes: { reviewers } }));
    },
    pipeline: (path, username, branch, status, { ofBranch = false } = {}) => {
      const project = projectNamed(path);
      const actor = userNamed(username);
      world.announce(project, "pipelines", () => pipelinePayload(world, project, { actor, branch, status, ofBranch }));
    },
    job: (path, sha, job) => {
      const { statuses, branches } = projectNamed(path);
      const ref = job.ref ?? [...branches].find(([, last]) => last === sha)?.[0] ?? "main";
      const same = statuses.find((one) => one.sha === sha && one.ref === ref);
      const made: CommitStatus = {
        id: state.nextId(),
        sha,
        ref,
        pipelineId: same?.pipelineId ?? state.nextId(),
        description: null,
        targetUrl: null,
        allowFailure: false,
        trace: "",
        author: state.users[0] ?? missing("user"),
        createdAt: state.now(),
        ...job,
      };
      statuses.push(made);
      return made.id;
    },
  };
}

function noteAt({ noteable }: Place, id: number): Note {
  return noteable.notes.find((note) => note.id === id) ?? missing(`note ${id}`);
}

function commit(seed: number): string {
  return seed.toString(16).padStart(40, "c");
}

function missing(what: string): never {
  throw new Error(`there is no ${what} in the mock`);
}
