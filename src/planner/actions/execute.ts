import type { ActionOf, ActionType } from "../../domain/action.ts";
import type { StoredAction } from "../../domain/cycle.ts";
import { type Attempted, type Perform, attempt } from "./attempt.ts";
import { type ActionWrites, type Apply, type ExecutorDeps, auditDraft } from "./ports.ts";
import { PartError, failureLine } from "./failure.ts";
import { applyFindings, applyGaps, applyLearnings, applySpecStatus } from "./updates.ts";
import { actionKey, isSaidBy, marker } from "../../domain/marker.ts";
import { originsAmong } from "../../notify/link-origins.ts";
import { safeComment } from "../../domain/text/comment-sanitizer.ts";
import { inSpan, noteInSpan } from "../../lib/trace.ts";
import { type OwnComment, findOwnComment } from "../../notify/own-comment.ts";
import { sendOnce } from "../../notify/send-once.ts";
import { replyThread } from "./reply.ts";

export interface ExecutionReport {
  /** Finished actions, of this call or an earlier one, in order of execution. */
  done: StoredAction[];
  /** One line per failed action, for the planner (R-ACT-4). */
  failures: string[];
  /**
   * Milliseconds until a retry, because a service asked for a long wait; the remaining actions are pending. Null if all
   * actions are done or have failed.
   */
  postponedMs: number | null;
  /** What Relay was not allowed to do, if that postponed them. */
  noAccess?: string;
}

/**
 * Executes the stored actions of one round in order (R-ACT-3, R-ACT-5). Safe to repeat after a crash: finished actions
 * are not repeated, failed ones stay failed. A failure only stops later actions that depend on it.
 */
export async function executeBatch<Tx extends ActionWrites>(
  stored: readonly StoredAction[],
  deps: ExecutorDeps<Tx>,
): Promise<ExecutionReport> {
  const done: StoredAction[] = [];
  const failures: string[] = [];
  const failedTypes = new Set<ActionType>();
  for (const action of executionOrder(stored)) {
    const { type } = action.action;
    const result = await runAction(action, failedTypes, deps);
    switch (result.kind) {
      case "done":
        done.push(action);
        break;
      case "failed":
        failures.push(result.line);
        failedTypes.add(type);
        break;
      case "postponed":
        deps.log.info({ issue: deps.issue.id, action: action.id, ms: result.ms }, "actions postponed");
        return {
          done,
          failures,
          postponedMs: result.ms,
          ...(result.why === undefined ? {} : { noAccess: result.why }),
        };
      default:
        result satisfies never;
    }
  }
  return { done, failures, postponedMs: null };
}

type ActionResult = { kind: "done" } | { kind: "failed"; line: string } | Extract<Attempted, { kind: "postponed" }>;

async function runAction<Tx extends ActionWrites>(
  stored: StoredAction,
  failedTypes: ReadonlySet<ActionType>,
  deps: ExecutorDeps<Tx>,
): Promise<ActionResult> {
  const { type } = stored.action;
  if (stored.status === "done") return { kind: "done" };
  if (stored.status === "failed") {
    const unknown = { type, part: null, reason: "unknown", retryable: false };
    return { kind: "failed", line: stored.error ?? failureLine(unknown) };
  }
  const failedBefore = DEPENDS_ON[type].find((other) => failedTypes.has(other));
  const attempted: Attempted =
    failedBefore === undefined
      ? await inSpan(`action ${type}`, {}, async () => await tried(stored, deps))
      : { kind: "failed", failure: { type, part: null, reason: `${failedBefore} failed before`, retryable: true } };
  if (attempted.kind !== "failed") return attempted;
  const line = failureLine(attempted.failure);
  const after = { action: type, position: stored.position, failure: line };
  await deps.ledger.fail(stored.id, line, [auditDraft(deps, "action.failed", { after })]);
  return { kind: "failed", line };
}

async function tried<Tx extends ActionWrites>(stored: StoredAction, deps: ExecutorDeps<Tx>): Promise<Attempted> {
  const attempted = await attempt(stored, performerOf(stored, deps), deps);
  noteInSpan({ "relay.outcome": attempted.kind });
  if (attempted.kind === "failed") noteInSpan({ "error.type": "failed" });
  return attempted;
}

/**
 * Action types that each type depends on. Gap changes refer to the numbers of gaps added earlier, so after a failure
 * they could hit the wrong gap.
 */
const DEPENDS_ON: Readonly<Record<ActionType, readonly ActionType[]>> = {
  post_comment: [],
  update_findings: ["update_findings"],
  update_gaps: ["update_gaps"],
  update_learnings: [],
  ready_for_spec_generation: ["update_gaps", "update_findings"],
  update_spec: [],
  set_spec_status: ["update_spec", "ready_for_spec_generation"],
};

/** Actions that change the input of the spec. */
const SPEC_SOURCES: ReadonlySet<ActionType> = new Set(["update_findings", "update_gaps", "update_learnings"]);

/**
 * By position, except that the spec is generated after all actions that feed it: the validator lets later actions close
 * the gaps that must be closed first.
 */
function executionOrder(stored: readonly StoredAction[]): StoredAction[] {
  const ordered = stored.toSorted((a, b) => a.round - b.round || a.position - b.position);
  const turn = ordered.findLastIndex(({ action }) => SPEC_SOURCES.has(action.type)) + 1;
  const before = ordered.slice(0, turn);
  return [...before.filter((each) => !isHandoff(each)), ...before.filter(isHandoff), ...ordered.slice(turn)];
}

function isHandoff({ action }: StoredAction): boolean {
  return action.type === "ready_for_spec_generation";
}

function performerOf<Tx extends ActionWrites>(stored: StoredAction, deps: ExecutorDeps<Tx>): Perform<Tx> {
  const { action, idempotencyKey } = stored;
  switch (action.type) {
    case "post_comment":
      return async () => await postComment(stored, action.data, deps);
    case "update_findings":
      return inDatabase(applyFindings(action.data, deps));
    case "update_gaps":
      return inDatabase(applyGaps(action.data, deps));
    case "update_learnings":
      return async () => await applyLearnings(action.data, deps);
    case "set_spec_status":
      return inDatabase(applySpecStatus(action.data, deps));
    case "ready_for_spec_generation":
      return async (repeated) => await deps.generateSpec(action.data, { idempotencyKey, repeated });
    case "update_spec":
      return async (repeated) => await deps.writeSpec(action.data, { idempotencyKey, repeated });
    default:
      return action satisfies never;
  }
}

/** The whole effect is in the transaction, so a failed attempt has no effect to look for. */
function inDatabase<Tx extends ActionWrites>(apply: Apply<ActionWrites>): Perform<Tx> {
  return () => Promise.resolve(apply);
}

type Deps = Pick<
  ExecutorDeps<ActionWrites>,
  "issue" | "reasoning" | "messages" | "participants" | "tracker" | "posts" | "lostComment" | "clock" | "log" | "linked"
>;

/** How often a comment is sent before the planner is told that it cannot be (R-ACT-3). */
const MOST_TRIES = 3;

/**
 * Posts a comment exactly once (R-ACT-5, R-SAFE-2), taking over one that was posted and then lost with the database.
 */
async function postComment(
  stored: StoredAction,
  data: ActionOf<"post_comment">["data"],
  deps: Deps,
): Promise<Apply<ActionWrites>> {
  const key = actionKey(stored.idempotencyKey);
  const post = await deps.posts.find(key);
  const firstTriedAt = post?.triedAgo == null ? null : new Date(deps.clock.now().getTime() - post.triedAgo);
  const textOf = async () => {
    const people = { participants: deps.participants, bot: deps.tracker.bot };
    const thread = async () => await Promise.resolve(deps.messages);
    const origins = await originsAmong(data.content, deps.issue, { tracker: deps.tracker, thread }, []);
    // Relay adds its own links after those of the planner were judged.
    const { text: own, changes } = safeComment(data.content, { ...people, origins });
    const { text } = safeComment(await deps.linked(own), { ...people, origins: "later" });
    if (changes.length > 0) deps.log.warn({ action: stored.id, changes }, "comment changed before posting");
    return text;
  };
  const lost = post === null ? await deps.lostComment() : null;
  if (lost !== null) {
    const comment = await says(lost, await textOf(), key, deps);
    deps.log.info({ action: stored.id, comment: lost.id }, "found a comment from after the backup");
    return recordComment(key, { comment, adopted: true }, deps);
  }
  const sent = await sendOnce(
    {
      key,
      mostTries: MOST_TRIES,
      find: async () => await findOwnComment(marker(key), { ...deps, firstTriedAt, threadId: knownThread(data, deps) }),
      send: async () =>
        await deps.tracker.createComment(deps.issue, `${await textOf()}\n\n${marker(key)}`, threadOf(data, deps)),
    },
    post,
    { posts: deps.posts, settlesAfterMs: deps.tracker.settlesAfterMs },
  );
  if (sent.adopted) {
    deps.log.info({ action: stored.id, comment: sent.comment.id }, "found the comment of an earlier attempt");
  }
  return recordComment(key, sent, deps);
}

/** Gives the comment these words; edits it unless it has them. */
async function says(comment: OwnComment, text: string, key: string, { tracker, issue }: Deps): Promise<OwnComment> {
  if (isSaidBy(comment.body, text)) return comment;
  const { body } = await tracker.updateComment(issue, comment.id, `${text}\n\n${marker(key)}`);
  return { ...comment, body };
}

/** Null if the thread is gone: the comment may still have been posted before. */
function knownThread({ reply_to_id: replyToId }: ActionOf<"post_comment">["data"], { messages }: Deps): string | null {
  const thread = replyToId === undefined ? null : replyThread(replyToId, messages);
  return thread?.kind === "found" ? thread.threadId : null;
}

function threadOf({ reply_to_id: replyToId }: ActionOf<"post_comment">["data"], { messages }: Deps): string | null {
  if (replyToId === undefined) return null;
  const thread = replyThread(replyToId, messages);
  if (thread.kind === "found") return thread.threadId;
  throw new PartError("not_found", `reply_to ${replyToId}`, `the thread ${replyToId} is not part of this issue`);
}

function recordComment(
  key: string,
  { comment, adopted }: { comment: OwnComment; adopted: boolean },
  deps: Deps,
): Apply<ActionWrites> {
  const after = { comment_id: comment.id, thread_id: comment.threadId, body: comment.body };
  return async (tx) => {
    await tx.settlePost(key, comment);
    await tx.askWithComment();
    return {
      outcome: { comment_id: comment.id, thread_id: comment.threadId, adopted },
      audit: [auditDraft(deps, "comment.posted", { after })],
    };
  };
}
