import type { Issue } from "../domain/issue.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import { keptCode } from "../domain/text/clean-text.ts";
import { stripHiddenText } from "../domain/text/hidden-text.ts";
import { foreignLinksAsText, originsNamed, originsOf } from "../domain/text/outgoing-links.ts";
import { type Account, type Permissions, atLeast } from "../adapters/trackers/tracker.ts";
import type { Db } from "../storage/db.ts";
import { listThread } from "../storage/messages.ts";
import { repositoriesOf } from "../storage/repositories.ts";

/** Relay's account, and what people may do: asked only of those who named what Relay's words link to. */
export type LinkRights = Pick<Account, "linked"> & Pick<Permissions, "permissionOf" | "isBot">;

/** What somebody said in a thread. */
type Saying = Pick<ConversationMessage, "author" | "role" | "isBot" | "content">;

/** Authors whose permission is looked up for one text, the latest first. */
const MOST_ASKED = 10;

/**
 * The origins that links in these words about an issue may lead to (R-SAFE-7): the tracker's and the repository's,
 * those of the operator's list, `own` addresses of Relay, and, by https, those that people with write access named in
 * the thread where other people see it. Throws the tracker's errors.
 */
export async function originsIn(
  words: string,
  issue: Issue,
  { db, tracker, said = [] }: { db: Db; tracker: LinkRights; said?: readonly Saying[] },
  own: readonly (string | null)[] = [],
): Promise<Set<string>> {
  const [{ cloneSource }] = await repositoriesOf(db, issue);
  const thread = async () => [...(await listThread(db, issue.id)), ...said];
  return await originsAmong(words, issue, { tracker, thread }, [cloneSource, ...own]);
}

/** The same for a thread that is loaded already. */
export async function originsAmong(
  words: string,
  issue: Pick<Issue, "url" | "body" | "reporter" | "externalProjectId">,
  { tracker, thread }: { tracker: LinkRights; thread: () => Promise<readonly Saying[]> },
  own: readonly (string | null)[],
): Promise<Set<string>> {
  const origins = originsOf([issue.url, ...own, ...(tracker.linked ?? [])]);
  const wanted = [...originsNamed(words)].filter((origin) => !origins.has(origin));
  if (wanted.length === 0) return origins;
  const people = (await thread()).filter(({ role, isBot }) => role !== "self" && !isBot);
  const texts = [{ author: issue.reporter, content: issue.body }, ...people];
  const named = new Map<string, Set<string>>();
  for (const { author, content } of texts.toReversed()) {
    const here = originsNamed(stripHiddenText(content).text);
    const found = wanted.filter((origin) => here.has(origin));
    if (found.length > 0) named.set(author, new Set([...(named.get(author) ?? []), ...found]));
  }
  for (const [author, found] of [...named].slice(0, MOST_ASKED)) {
    if ([...found].every((origin) => origins.has(origin)) || !(await mayWrite(author, issue, tracker))) continue;
    for (const origin of found) origins.add(origin);
  }
  return origins;
}

async function mayWrite(login: string, issue: Pick<Issue, "externalProjectId">, tracker: LinkRights): Promise<boolean> {
  const permission = await tracker.permissionOf(issue.externalProjectId, login);
  return atLeast(permission, "write") && !(await tracker.isBot(login));
}

/**
 * A line about an issue for its page and the API, where addresses may become links: without secrets and foreign links.
 */
export async function toldText(text: string, issue: Issue, deps: { db: Db; tracker: LinkRights }): Promise<string> {
  return foreignLinksAsText(keptCode(text), await originsIn(text, issue, deps)).text;
}
