import { requestMarker } from "../../domain/marker.ts";
import { RelayError, nullIfNotFound } from "../../lib/errors.ts";
import type { PullRequest, PullRequests } from "../../adapters/trackers/code-host.ts";
import type { RequestText } from "./body-facts.ts";

interface Sought {
  taskId: string;
  project: string;
  /** The pushed branch and its base; a null base finds only requests opened by the task itself, into any base. */
  head: string;
  base: string | null;
  /** The stored number of the task's request; null before there is one. */
  known: number | null;
}

export interface Opening extends Sought {
  base: string;
  text: RequestText;
  /** Whom to ask for a review of a new request. */
  reviewers: readonly string[];
}

/**
 * The pull request of a task. `ended`: it was merged or closed meanwhile, and the task gets no other. `skipped`:
 * reviewers and labels that the code host rejected, with the reason.
 */
export type Opened =
  | { kind: "open"; request: PullRequest; skipped: { name: string; why: string }[] }
  | { kind: "ended"; request: PullRequest };

/** The limit of code hosts, in characters. */
const LONGEST_BODY = 65_000;

/**
 * Ensures that the task has exactly one pull request, with this text (R-WORK-7). After a crash, or with newer results,
 * it updates the existing one, but keeps what belongs to people: the title, the draft state, text below Relay's, and
 * requests that someone else opened for the branch.
 *
 * @throws RelayError from the code host, unless it is about one reviewer or the labels
 */
export async function openRequest(opening: Opening, codeHost: PullRequests): Promise<Opened> {
  const { project, text, known } = opening;
  const found = await requestOf(opening, codeHost);
  if (found && found.state !== "open") return { kind: "ended", request: found };
  const request = found ? await renewed(found, opening, codeHost) : await create(opening, codeHost);
  const skipped: { name: string; why: string }[] = [];
  const unlessRefused = async (name: string, work: () => Promise<void>) => {
    const refused = await refusal(work);
    if (refused) skipped.push({ name, why: refused.message });
  };
  if (text.labels.length > 0) {
    await unlessRefused(text.labels.join(", "), async () => {
      await codeHost.labelPullRequest(project, request.number, text.labels);
    });
  }
  const asked = new Set(request.reviewers.map((login) => login.toLowerCase()));
  const unasked = known === null ? opening.reviewers.filter((login) => !asked.has(login.toLowerCase())) : [];
  // A failure for one reviewer must not stop the others.
  for (const login of unasked) {
    await unlessRefused(login, async () => codeHost.requestReview(project, request.number, [login]));
  }
  return { kind: "open", request, skipped };
}

/**
 * The current pull request of a task; null before there is one. Found by the stored number, else by the branch: a crash
 * may have prevented storing the number, and people may have merged or closed it since.
 */
export async function requestOf(
  { project, head, base, known, taskId }: Sought,
  codeHost: PullRequests,
): Promise<PullRequest | null> {
  // Some trackers let people delete a request.
  const stored = known === null ? null : await codeHost.getPullRequest(project, known).catch(nullIfNotFound);
  if (stored) return stored;
  const all = await codeHost.listPullRequests(project, head);
  // A person may have opened one into another branch; that is not the task's. Neither is an unmarked one that ended
  // before.
  const open = all.find((one) => one.state === "open" && (one.base === base || carries(one, taskId)));
  return open ?? all.find((one) => carries(one, taskId)) ?? null;
}

async function create(opening: Opening, codeHost: PullRequests): Promise<PullRequest> {
  const { project, head, base, text } = opening;
  const { title, body, draft } = text;
  try {
    return await codeHost.createPullRequest(project, { title, body, head, base, draft });
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "invalid")) throw error;
    // Another process may have opened it, or a call whose answer was lost.
    const there = await requestOf(opening, codeHost);
    if (there?.state !== "open") throw error;
    return await renewed(there, opening, codeHost);
  }
}

async function renewed(
  request: PullRequest,
  { project, taskId, text }: Opening,
  codeHost: PullRequests,
): Promise<PullRequest> {
  const marker = requestMarker(taskId);
  const at = request.body.indexOf(marker);
  if (at === -1) return request;
  const added = request.body.slice(at + marker.length);
  const body = text.body.length + added.length <= LONGEST_BODY ? text.body + added : text.body;
  // Some code hosts change line ends.
  if (plain(body) === plain(request.body)) return request;
  return await codeHost.updatePullRequest(project, request.number, { body });
}

function carries({ body }: PullRequest, taskId: string): boolean {
  return body.includes(requestMarker(taskId));
}

function plain(body: string): string {
  return body.replaceAll("\r\n", "\n").trim();
}

/** A permanent refusal as a value; transient errors are thrown, so that everything is retried. */
async function refusal(work: () => Promise<void>): Promise<RelayError | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof RelayError && !error.retryable && REFUSALS.has(error.code)) return error;
    throw error;
  }
}

const REFUSALS = new Set(["invalid", "forbidden", "not_found"]);
