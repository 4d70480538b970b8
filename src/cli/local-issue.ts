import type { TrackerEvent } from "../domain/event.ts";
import type { Issue, IssueAddress } from "../domain/issue.ts";
import type { Receipt } from "../intake/receive.ts";
import { sleep } from "../lib/clock.ts";
import { RelayError, Postponed } from "../lib/errors.ts";
import type { Relay } from "../app/relay.ts";
import { findIssue } from "../storage/issues.ts";
import { findRequest } from "../storage/pull-requests.ts";
import { latestTask } from "../storage/tasks.ts";
import { isAmong } from "../domain/login.ts";
import { atLeast } from "../adapters/trackers/tracker.ts";
import type { IssueFile } from "../adapters/trackers/issue-file/parse.ts";

/**
 * Imports an issue file into the local tracker and assigns it to Relay. A file imported before is recognised by its
 * address: issue and comments are edited, new comments and assignees are added; while its change is in review, comments are
 * posted on its pull request. The file says who has write access; nothing in a text can.
 */
export async function importIssue(relay: Relay, project: string, file: IssueFile, url: string | null): Promise<Issue> {
  const { people } = relay;
  const { number, known } = await earlier(relay, project, file, url);
  const address = known ?? (await openFrom(relay, project, { ...file, number }, url));
  await letWrite(relay, project, [...file.assignees, ...file.maintainers]);
  const current = await relay.tracker.getIssue(address);
  for (const assignee of file.assignees) {
    if (!isAmong(assignee, current.assignees)) await people.assign(address, relay.operator, assignee);
  }
  if (current.title !== file.title || current.body !== file.body) {
    await people.editIssue(address, relay.operator, { title: file.title, body: file.body });
  }
  const review = await reviewOf(relay, address);
  const posted = await thread(relay, address);
  const told = new Set([...posted, ...review.comments].map(saidBy));
  const written = new Set(file.comments.map(saidBy));
  for (const comment of file.comments) {
    if (told.has(saidBy(comment)) || comment.body === "") continue;
    const before = posted.find(
      (one) => isAtOnce(one, comment) && one.author === comment.author && !written.has(saidBy(one)),
    );
    if (before !== undefined)
      await deliver(relay, await people.editComment(address, before.id, comment.author, comment.body));
    else if (review.request === null) await people.comment(address, comment.author, comment.body, { at: comment.at });
    else await deliver(relay, await people.reviewComment(review.request, comment.author, comment.body, null));
  }
  if (current.state === "closed") await people.setState(address, relay.operator, "open");
  await deliver(relay, await people.assign(address, relay.operator, relay.tracker.bot));
  const issue = await findIssue(relay.db, address);
  if (!issue) throw new RelayError("internal", `the issue “${file.title}” was brought in but is not there`);
  return issue;
}

function saidBy({ author, body }: { author: string; body: string }): string {
  return `${author}\n${body}`;
}

/** Two comments of one author at the same time are one, which was edited. */
function isAtOnce(posted: { createdAt: Date }, { at }: IssueFile["comments"][number]): boolean {
  return at !== null && posted.createdAt.getTime() === at.getTime();
}

/** The issue that was imported before; an issue of a tracker is another one than a file's of the same number. */
async function earlier(relay: Relay, project: string, { number, title }: IssueFile, url: string | null) {
  const known = await relay.people.findIssue(project, { number, url, title });
  if (known === null || number === null || url === null) return { number, known };
  const is = (await relay.tracker.getIssue(known)).url;
  const isOther = is !== null && is !== url && /^https?:/.test(is) !== /^https?:/.test(url);
  if (!isOther) return { number, known };
  return { number: null, known: await relay.people.findIssue(project, { number: null, url, title }) };
}

/** What was said at the issue's request, and where more can be said: null unless it is open and in review. */
async function reviewOf(relay: Relay, address: IssueAddress) {
  const issue = await findIssue(relay.db, address);
  const task = issue && (await latestTask(relay.db, issue.id));
  const request = task && (await findRequest(relay.db, task.id));
  if (request === null) return { request: null, comments: [] };
  const at = { project: address.externalProjectId, number: request.number };
  const threads = await relay.tracker.listReviewThreads(at.project, at.number);
  const isOpen = (await relay.tracker.getPullRequest(at.project, at.number)).state === "open";
  const comments = threads.flatMap((each) => each.comments);
  return { request: isOpen && issue?.state === "in_review" ? at : null, comments };
}

/** Comments in the thread as the operator. */
export async function say(relay: Relay, issue: Issue, text: string): Promise<void> {
  await deliver(relay, await relay.people.comment(issue, relay.operator, text));
}

/** Receives and processes an event of the local tracker at once, as its webhook and job would. */
async function deliver(relay: Relay, event: TrackerEvent): Promise<void> {
  const receipt = await receiveEvent(relay, event);
  if (receipt.kind === "stored") await relay.orchestrator.processDeliveries(event);
}

/** Receives an event of the local tracker, as a webhook would. */
export async function receiveEvent(relay: Relay, event: TrackerEvent): Promise<Receipt> {
  return await relay.orchestrator.receive({
    provider: event.provider,
    deliveryId: relay.ids.next(),
    contentKey: null,
    events: [event],
  });
}

async function openFrom(relay: Relay, project: string, file: IssueFile, url: string | null): Promise<IssueAddress> {
  const { people } = relay;
  await people.invite(project, file.author, "read");
  const { externalProjectId, externalIssueId, provider } = await people.openIssue(project, {
    number: file.number,
    title: file.title,
    body: file.body,
    author: file.author,
    labels: file.labels,
    assignees: file.assignees,
    url,
    createdAt: file.createdAt ?? relay.clock.now(),
  });
  return { provider, externalProjectId, externalIssueId };
}

async function letWrite({ people, tracker }: Relay, project: string, logins: readonly string[]): Promise<void> {
  for (const login of logins) {
    if (atLeast(await tracker.permissionOf(project, login), "write")) continue;
    await people.setMember(project, login, "write", await tracker.isBot(login));
  }
}

async function thread(relay: Relay, address: IssueAddress) {
  const comments = [];
  let cursor: string | null = null;
  do {
    const page = await relay.tracker.listComments(address, cursor);
    comments.push(...page.comments);
    cursor = page.next;
  } while (cursor !== null);
  return comments;
}

/** How often work yields before it gives up; each wait is at most `LONGEST_WAIT_MS`. */
const MOST_TURNS = 20;
const LONGEST_WAIT_MS = 15_000;

/**
 * Works on an issue like the job engine of a server: work that yields to news from the tracker starts over once the
 * news is processed.
 */
export async function inTurn<T>(relay: Relay, issue: Issue, work: () => Promise<T>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await work();
    } catch (error) {
      const waitMs = error instanceof Postponed ? (error.retryAfterMs ?? 0) : null;
      if (waitMs === null || waitMs > LONGEST_WAIT_MS || turn === MOST_TURNS) throw error;
      await sleep(waitMs);
      await relay.orchestrator.processDeliveries(issue);
    }
  }
}

/** Has Relay take up what is new in an issue; throws what kept it from that. */
export async function takeUp(relay: Relay, issue: Issue): Promise<void> {
  await inTurn(relay, issue, async () => {
    const { failures, error } = await relay.orchestrator.wake(issue.id, "directly");
    if (error !== null) throw error;
    if (failures[0] !== undefined) throw new RelayError("internal", `the issue could not be worked on: ${failures[0]}`);
  });
}
