import { isAmong, sameLogin } from "../../../domain/login.ts";
import type { CodeHost, NewPullRequest, PullRequest } from "../code-host.ts";
import type { Account } from "../tracker.ts";
import { checkName, checkPullRequest, unfit } from "../texts.ts";
import { type MemoryWorld, answer, newComment, projectOf, requestOf, requireMember, threadOf } from "./world.ts";

const DEFAULT_BRANCH = "main";
const MOST_REQUESTS = 30;

type Code = Omit<CodeHost, keyof Account | "permissionOf" | "accountIdOf" | "isBot">;

export function memoryCodeHost(world: MemoryWorld, bot: string): Code {
  return {
    getProject: async (name) =>
      await answer(() => {
        const { name: externalProjectId } = projectOf(world, name);
        const place = { defaultBranch: DEFAULT_BRANCH, cloneUrl: name, url: null };
        return { externalProjectId, stableId: null, ...place, isPrivate: true };
      }),
    branchExists: async (name, branch) => await answer(() => projectOf(world, name).branches.has(branch)),
    readFile: async (name, path) => await answer(() => projectOf(world, name).files.get(path) ?? null),

    commitAuthor: async () => await Promise.resolve({ name: bot, email: `${bot}@users.noreply.memory.example` }),

    getPullRequest: async (name, number) => await answer(() => shown(requestOf(world, name, number).request)),
    listPullRequests: async (name, head) =>
      await answer(() =>
        [...projectOf(world, name).requests.values()]
          .map(({ request }) => request)
          .filter((request) => request.head === head)
          .toReversed()
          .slice(0, MOST_REQUESTS)
          .map(shown),
      ),
    createPullRequest: async (name, given) =>
      await answer(() => {
        check(given);
        const project = projectOf(world, name);
        const isOpen = ({ request }: { request: PullRequest }) =>
          request.state === "open" && request.head === given.head && request.base === given.base;
        if ([...project.requests.values()].some(isOpen)) {
          throw unfit(`a pull request for ${given.head} is open already`);
        }
        const number = project.nextNumber;
        project.nextNumber += 1;
        const unknown = { url: null, conflicts: null, updatedAt: null };
        const request = { ...given, ...unknown, number, state: "open" as const, reviewers: [] };
        project.requests.set(number, { request, labels: [], threads: [] });
        return shown(request);
      }),
    updatePullRequest: async (name, number, change) =>
      await answer(() => {
        const { request } = requestOf(world, name, number);
        const after = { ...request, ...change };
        check(after);
        if (request.state === "merged" && after.state !== "merged") throw unfit("what is merged stays merged");
        return shown(Object.assign(request, after));
      }),
    requestReview: async (name, number, logins) =>
      await answer(() => {
        const { request } = requestOf(world, name, number);
        for (const login of logins) {
          if (sameLogin(login, bot)) throw unfit(`${login} cannot review their own pull request`);
          requireMember(projectOf(world, name), login);
          if (!isAmong(login, request.reviewers)) request.reviewers.push(login);
        }
      }),
    labelPullRequest: async (name, number, labels) =>
      await answer(() => {
        for (const label of labels) checkName(label, "a label");
        const found = requestOf(world, name, number);
        found.labels = [...new Set([...found.labels, ...labels])];
      }),

    listReviewThreads: async (name, number) =>
      await answer(() => structuredClone(requestOf(world, name, number).threads)),
    replyToThread: async (name, number, threadId, body) =>
      await answer(() => {
        const { comments } = threadOf(world, { project: name, number }, threadId);
        const comment = newComment(world, projectOf(world, name), { author: bot, body, threadId });
        comments.push(comment);
        return { ...comment };
      }),
    commentOn: async (name, number, body) =>
      await answer(() => {
        const { threads } = requestOf(world, name, number);
        const comment = newComment(world, projectOf(world, name), { author: bot, body, threadId: null });
        threads.push({ id: comment.id, path: null, line: null, resolved: false, comments: [comment] });
        return { ...comment };
      }),
    listChecks: async (name, commit) =>
      await answer(() => structuredClone([...(projectOf(world, name).checks.get(commit)?.values() ?? [])])),
  };
}

function shown(request: PullRequest): PullRequest {
  return { ...request, reviewers: [...request.reviewers] };
}

function check(request: NewPullRequest): void {
  checkPullRequest(request);
  if (request.head === request.base) throw unfit(`a pull request from ${request.head} into itself holds no changes`);
}
