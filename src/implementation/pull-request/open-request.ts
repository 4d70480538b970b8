import { requestMarker } from "../../domain/marker.ts";
import { RelayError } from "../../lib/errors.ts";
import type { PullRequest, PullRequests } from "../../adapters/trackers/code-host.ts";
import type { RequestText } from "./request-facts.ts";

interface Sought {
  taskId: string;
  project: string;
  /** The branch that was pushed, and the one that it goes into; null for one that the task itself opened, into any. */
  head: string;
  base: string | null;
  /** The number that is stored for the task; null before the first time. */
  known: number | null;
}

export interface Opening extends Sought {
  base: string;
  text: RequestText;
  /** Whom to ask for a review, when the request is new. */
  reviewers: readonly string[];
}

/**
 * The request of a task. `ended`: somebody merged or closed it meanwhile, and no other is opened for the task.
 * `skipped`: reviewers and labels that the code host did not take, with why.
 */
export type Opened =
  | { kind: "open"; request: PullRequest; skipped: { name: string; why: string }[] }
  | { kind: "ended"; request: PullRequest };

/** In characters, as trackers take them. */
const LONGEST_BODY = 65_000;

/**
 * Makes sure that the task has its one pull request, with this text (R-WORK-7). Done again, after a crash or with
 * newer results, it finds the request that is there. What people wrote below Relay's text, the title, and whether it
 * is a draft are theirs from then on; so is a request that somebody else opened for the branch.
 *
 * @throws RelayError what the code host says, if it is not about one reviewer or the labels
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
  // One is no reason not to ask the others.
  for (const login of unasked) {
    await unlessRefused(login, async () => codeHost.requestReview(project, request.number, [login]));
  }
  return { kind: "open", request, skipped };
}

/**
 * The request of a task as it is now; null before there is one. By the number that is stored, else by the branch: a crash
 * may have kept the number from being stored, and people may have merged or closed it since.
 */
export async function requestOf(
  { project, head, base, known, taskId }: Sought,
  codeHost: PullRequests,
): Promise<PullRequest | null> {
  const stored = known === null ? null : await unlessGone(async () => codeHost.getPullRequest(project, known));
  if (stored) return stored;
  const all = await codeHost.listPullRequests(project, head);
  // Somebody may have opened one into another branch; this is not the task's. Nor is one that ended before, without its mark.
  const open = all.find((one) => one.state === "open" && (one.base === base || carries(one, taskId)));
  return open ?? all.find((one) => carries(one, taskId)) ?? null;
}

/** Some trackers let people delete a request. */
async function unlessGone(work: () => Promise<PullRequest>): Promise<PullRequest | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RelayError && error.code === "not_found") return null;
    throw error;
  }
}

async function create(opening: Opening, codeHost: PullRequests): Promise<PullRequest> {
  const { project, head, base, text } = opening;
  const { title, body, draft } = text;
  try {
    return await codeHost.createPullRequest(project, { title, body, head, base, draft });
  } catch (error) {
    if (!(error instanceof RelayError && error.code === "invalid")) throw error;
    // It may be there by now: opened by another process, or by a call whose answer was lost.
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
  // Some trackers give back other line ends than they got.
  if (plain(body) === plain(request.body)) return request;
  return await codeHost.updatePullRequest(project, request.number, { body });
}

function carries({ body }: PullRequest, taskId: string): boolean {
  return body.includes(requestMarker(taskId));
}

function plain(body: string): string {
  return body.replaceAll("\r\n", "\n").trim();
}

/** What the code host refused for good; what may pass is thrown, so that all is tried again. */
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
