import type { AuthorRole, ConversationMessage } from "../domain/conversation.ts";
import type { Issue } from "../domain/issue.ts";
import { type Permission, type Tracker, atLeast } from "../adapters/trackers/tracker.ts";

export interface Participant {
  login: string;
  role: AuthorRole;
  /** Decides here, by the permission at this moment. */
  mayProceed: boolean;
}

/** Somebody whose approval is in question. */
export interface Approver {
  author: string;
  isReporter: boolean;
  permission: Permission;
}

/**
 * All participants of the issue. Reporter, assignees and people with write access decide; with `approves`, only people
 * whose approval of the plan that stands counts. Bots never do.
 */
export async function participantsOf(
  issue: Issue,
  messages: readonly ConversationMessage[],
  { tracker, approves }: { tracker: Tracker; approves: ((approver: Approver) => boolean) | null },
): Promise<Participant[]> {
  const people = new Map<string, Participant>();
  /** Logins to look up, all at once: a thread can have a hundred. */
  const toAsk = new Set<string>();
  people.set(issue.reporter.toLowerCase(), { login: issue.reporter, role: "reporter", mayProceed: true });
  for (const login of issue.assignees) {
    if (login.toLowerCase() === tracker.bot.toLowerCase() || people.has(login.toLowerCase())) continue;
    people.set(login.toLowerCase(), { login, role: "assignee", mayProceed: true });
  }
  for (const message of messages) {
    const key = message.author.toLowerCase();
    if (people.has(key)) continue;
    people.set(key, { login: message.author, role: message.role, mayProceed: false });
    if (message.role === "other" && !message.isBot) toAsk.add(message.author);
  }
  const spoke = new Set(messages.flatMap(({ author, isBot }) => (isBot ? [] : [author.toLowerCase()])));
  const isMachine = async (login: string) => spoke.has(login.toLowerCase()) && (await tracker.isBot(login));
  const permissionOf = async (login: string) => await tracker.permissionOf(issue.externalProjectId, login);
  return await Promise.all(
    [...people.values()].map(async ({ login, role, mayProceed: mayAsSuch }) => {
      const mayProceed = mayAsSuch && !(await isMachine(login));
      if (approves === null) {
        const isWriter = toAsk.has(login) && atLeast(await permissionOf(login), "write");
        return { login, role, mayProceed: mayProceed || isWriter };
      }
      const given = { author: login, isReporter: role === "reporter" };
      if (mayProceed === mayAsSuch && approves({ ...given, permission: "none" }))
        return { login, role, mayProceed: true };
      const isPerson = mayProceed || toAsk.has(login);
      const decides = isPerson && approves({ ...given, permission: await permissionOf(login) });
      return { login, role, mayProceed: decides };
    }),
  );
}
