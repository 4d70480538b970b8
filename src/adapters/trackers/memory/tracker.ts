import { missing } from "../missing.ts";
import type { IssueAddress, Provider } from "../../../domain/issue.ts";
import { sameLogin } from "../../../domain/login.ts";
import { type Clock, systemClock } from "../../../lib/clock.ts";
import type { Forge } from "../code-host.ts";
import { checkComment, checkName } from "../texts.ts";
import type { Account, IssuePage, Tracker, TrackerIssue } from "../tracker.ts";
import { memoryCodeHost } from "./code-host.ts";
import { type MemoryPeople, memoryPeople } from "./people.ts";
import {
  type MemoryWorld,
  answer,
  commentOf,
  issueOf,
  newComment,
  openWorld,
  permissionIn,
  projectOf,
} from "./world.ts";

const PAGE = 100;

interface MemoryOptions {
  bot: string;
  clock?: Clock;
  /** The provider name of its issues: one that issues can be stored for. */
  provider?: Provider;
}

/**
 * A tracker and code host without a database or a network, for tests of code that only talks to one. It fulfils the
 * contract of every tracker, and has `people` to act in it. Permissions are checked only where the contract needs it.
 */
export function memoryTracker(options: MemoryOptions): { tracker: Forge; people: MemoryPeople } {
  const { bot, clock = systemClock, provider = "local" } = options;
  const world = openWorld(provider, clock);
  const account = {
    provider,
    bot,
    calledAs: [bot],
    hasConfidentialIssues: false,
    hasHiddenComments: false,
    settlesAfterMs: 0,
  };
  const tracker = { ...account, ...issuesIn(world, bot), ...memoryCodeHost(world, bot) };
  return { tracker, people: memoryPeople(world) };
}

type Issues = Omit<Tracker, keyof Account | "hasConfidentialIssues" | "hasHiddenComments">;

function issuesIn(world: MemoryWorld, bot: string): Issues {
  const { clock } = world;
  const touch = (address: IssueAddress) => {
    issueOf(world, address).issue.updatedAt = clock.now();
  };
  return {
    getIssue: async (address) => await answer(() => shown(issueOf(world, address))),
    listComments: async (address, cursor) =>
      await answer(() => {
        const rest = issueOf(world, address).comments.filter(({ id }) => Number(id) > Number(cursor ?? 0));
        const comments = rest.slice(0, PAGE).map((comment) => ({ ...comment }));
        return { comments, next: rest.length > PAGE ? (comments.at(-1)?.id ?? null) : null };
      }),
    listChangedComments: async (address, since) =>
      await answer(() =>
        issueOf(world, address)
          .comments.filter(({ createdAt, editedAt }) => (editedAt ?? createdAt) >= since)
          .map((comment) => ({ ...comment })),
      ),
    listIssues: async (name, { since, assignee }, cursor): Promise<IssuePage> =>
      await answer(() => {
        const from = Number(cursor ?? 0);
        const found = [...projectOf(world, name).issues.values()]
          .map(shown)
          .filter(({ updatedAt }) => since === null || updatedAt >= since)
          .filter(({ assignees }) => assignee === null || assignees.some((login) => sameLogin(login, assignee)))
          .toSorted((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime());
        const end = from + PAGE;
        return { issues: found.slice(from, end), next: found.length > end ? String(end) : null };
      }),
    getComment: async (address, id) => await answer(() => ({ ...commentOf(world, address, id) })),
    createComment: async (address, body, threadId) =>
      await answer(() => {
        const { comments } = issueOf(world, address);
        if (threadId !== null && !comments.some((one) => one.threadId === threadId)) {
          throw missing(`there is no thread ${threadId} on issue ${address.externalIssueId}`);
        }
        const project = projectOf(world, address.externalProjectId);
        const comment = newComment(world, project, { author: bot, body, threadId });
        comments.push(comment);
        touch(address);
        return { ...comment };
      }),
    updateComment: async (address, id, body) =>
      await answer(() => {
        checkComment(body);
        const comment = Object.assign(commentOf(world, address, id), { body, editedAt: clock.now() });
        world.editors.set(id, bot);
        touch(address);
        return { ...comment };
      }),
    assignerOf: async () => await Promise.resolve(null),
    inspectComment: async (address, id) =>
      await answer(() => {
        const { editedAt } = commentOf(world, address, id);
        const edit = editedAt === null ? null : { by: world.editors.get(id) ?? null };
        return { edit, isMinimized: false };
      }),
    deleteComment: async (address, id) =>
      await answer(() => {
        const { comments } = issueOf(world, address);
        comments.splice(comments.indexOf(commentOf(world, address, id)), 1);
        touch(address);
      }),
    addReaction: async (address, commentId, emoji) =>
      await answer(() => {
        checkName(emoji, "a reaction");
        reactionsTo(world, { address, commentId, emoji }).add(bot);
      }),
    listVotes: async (address, commentId) =>
      await answer(() => ({
        up: [...reactionsTo(world, { address, commentId, emoji: "+1" })],
        down: [...reactionsTo(world, { address, commentId, emoji: "-1" })],
      })),
    listReactions: async (address, commentId, emoji) =>
      await answer(() => [...reactionsTo(world, { address, commentId, emoji })]),
    changeLabels: async (address, { add, remove }) =>
      await answer(() => {
        for (const name of add) checkName(name, "a label");
        const { issue } = issueOf(world, address);
        issue.labels = [...new Set([...issue.labels.filter((name) => !remove.includes(name)), ...add])];
        touch(address);
      }),
    accountIdOf: async (_project, login) => await Promise.resolve(login.toLowerCase()),
    isBot: async () => await Promise.resolve(false),
    permissionOf: async (name, login) => await answer(() => permissionIn(projectOf(world, name), login)),
    listMembers: async (name) =>
      await answer(() =>
        [...projectOf(world, name).members.values()]
          .filter(({ permission }) => permission !== "none")
          .map(({ login, permission }) => ({ login, permission })),
      ),
  };
}

function shown({ issue, comments }: ReturnType<typeof issueOf>): TrackerIssue {
  return { ...issue, labels: [...issue.labels], assignees: [...issue.assignees], commentCount: comments.length };
}

/** Logins with the reaction to a comment, or to the issue if `commentId` is null. */
function reactionsTo(
  world: MemoryWorld,
  { address, commentId, emoji }: { address: IssueAddress; commentId: string | null; emoji: string },
): Set<string> {
  issueOf(world, address);
  if (commentId !== null) commentOf(world, address, commentId);
  const key = JSON.stringify([address.externalProjectId, address.externalIssueId, commentId, emoji]);
  const logins = world.reactions.get(key) ?? new Set<string>();
  world.reactions.set(key, logins);
  return logins;
}
