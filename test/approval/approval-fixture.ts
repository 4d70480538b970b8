import { transitions } from "../support/transitions.ts";
import { z } from "zod";
import { type ApprovalDeps, checkApproval, isReviewHalted } from "../../src/approval/approve-plan.ts";
import type { TrackerEvent } from "../../src/domain/event.ts";
import { type Issue, type Mode, issueName } from "../../src/domain/issue.ts";
import { detectLanguage } from "../../src/domain/text/language.ts";
import { renew } from "../../src/intake/store-thread.ts";
import { lockOf } from "../../src/engine/take-jobs.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/log.ts";
import { aPlan, aTriage } from "../cases/plan-comments.ts";
import { basisOf } from "../../src/domain/plan.ts";
import type { Database } from "../../src/storage/db.ts";
import { getIssue } from "../../src/storage/issues.ts";
import { addPlan, latestPlan, markPosted } from "../../src/storage/plans.ts";
import { addRequest } from "../../src/storage/pull-requests.ts";
import { latestTask } from "../../src/storage/tasks.ts";
import { localPeople } from "../../src/adapters/trackers/local/people.ts";
import { localTracker } from "../../src/adapters/trackers/local/tracker.ts";
import type { Tracker } from "../../src/adapters/trackers/tracker.ts";
import { connectAgain, freshDatabase } from "../support/database.ts";
import { trackedRepository } from "../support/tracked-issue.ts";

/** A tracker with people, and issues whose plans wait for a yes; ann reports, mia may write. */
export async function openConfirming({
  mode = "implement",
  thumbsUp = false,
}: { mode?: Mode; thumbsUp?: boolean } = {}) {
  const { db, connection } = await freshDatabase();
  const ids = snowflakes();
  let seconds = 0;
  let ticking = true;
  // Each thing happens a second after the one before, unless time is held.
  const clock = { now: () => new Date(Date.UTC(2026, 0, 1, 12, 0, ticking ? (seconds += 1) : seconds)) };
  const tracker = localTracker(db, { bot: "relay", clock, ids });
  const people = localPeople(db, { clock, ids });
  const repository = { ...(await trackedRepository(db)), mode };
  await people.createProject("shop");
  await people.setMember("shop", "relay", "write", true);
  await people.setMember("shop", "ann", "read");
  await people.setMember("shop", "mia", "write");

  const depsOf = (issue: Issue, over: { db?: Database; tracker?: Tracker } = {}): ApprovalDeps => {
    const parts = {
      db,
      tracker,
      ...over,
      clock,
      ids,
      log: silentLog,
      repository,
      transition: transitions({ clock, ids }),
    };
    const refresh = async () =>
      void (await renew(nothingHeard(issue), issue, { ...parts, detectLanguage, whole: true }));
    return { ...parts, confirmers: [], thumbsUp, refresh };
  };
  const post = async (issue: Issue) => {
    const basisSha256 = basisOf(issue);
    const made = { triage: aTriage({ risk: "LOW" }), plan: aPlan(), sha256: "0", basisSha256, byRules: true };
    const plan = await addPlan(db, issue.id, made, { clock, ids });
    const body = `The plan\n\n<!-- relay:plan:${plan.id} -->`;
    const { id, createdAt } = await tracker.createComment(issue, body, null);
    await markPosted(db, plan.id, { commentId: id, body, at: createdAt, earlierThumbs: [] });
  };
  return {
    db,
    people,
    tracker,
    post,
    /** Lets all that `work` does happen in the same second. */
    atOnce: async (work: () => Promise<void>) => {
      clock.now();
      ticking = false;
      await work();
      ticking = true;
    },
    /** An issue whose plan has just been posted. */
    waiting: async (): Promise<Issue> => {
      const address = await people.openIssue("shop", {
        number: null,
        title: "Wrong total",
        body: "It is wrong.",
        author: "ann",
        labels: [],
        assignees: ["relay"],
        url: null,
        createdAt: clock.now(),
      });
      const told = { ...address, ...NOTHING };
      const parts = { db, tracker, repository, clock, ids, log: silentLog, detectLanguage };
      const { issue } = await renew(told, null, { ...parts, whole: true });
      await db.execute("update issues set state = 'waiting_confirmation' where id = $1", [issue.id]);
      await post(issue);
      return await getIssue(db, issue.id);
    },
    /** One look at the answers, as a process does it. */
    look: async (id: string, over: { db?: Database; tracker?: Tracker } = {}) => {
      const issue = await getIssue(db, id);
      const lock = over.db ?? db;
      return await lock.withLock(lockOf(issueName(issue)), async () => await checkApproval(issue, depsOf(issue, over)));
    },
    /** Whether further work on the pull request is halted, with the thread as it is now. */
    isHalted: async (id: string) => {
      const issue = await getIssue(db, id);
      const deps = depsOf(issue);
      await deps.refresh();
      return await isReviewHalted(issue, deps);
    },
    /** The work on an approved plan gets as far as this. */
    advance: async (id: string, to: "in_progress" | "in_review") => {
      const transition = transitions({ clock, ids });
      await transition(db, id, "run_started", { why: "test" });
      await db.execute("update tasks set status = 'running' where issue_id = $1", [id]);
      if (to === "in_progress") return;
      await transition(db, id, "pull_request_opened", { why: "test" });
      await db.execute("update tasks set status = 'done' where issue_id = $1", [id]);
      const issue = await getIssue(db, id);
      const task = (await latestTask(db, id))?.id ?? "";
      const request = { taskId: task, number: 7, branch: "fix/1-x", base: "main", url: null };
      await addRequest(db, { ...request, issueId: id, externalProjectId: issue.externalProjectId }, clock);
    },
    /** Relay's last words. */
    last: async (id: string) => {
      const { comments } = await tracker.listComments(await getIssue(db, id), null);
      return comments.findLast(({ author }) => author === "relay")?.body ?? "";
    },
    /** The database as another process has it. */
    again: () => connectAgain(connection),
    /** What came of an issue. */
    outcome: async (id: string) => {
      const issue = await getIssue(db, id);
      const status = z.object({ status: z.string() });
      const tasks = await db.query(status, "select status from tasks where issue_id = $1 order by id", [id]);
      const { comments } = await tracker.listComments(issue, null);
      const said = comments
        .filter(({ author }) => author === "relay")
        .flatMap(({ body }) => MARKER.exec(body)?.[1] ?? []);
      const plan = await latestPlan(db, id);
      return { state: issue.state, tasks: tasks.map((task) => task.status), said, plan: plan?.status };
    },
  };
}

export type Confirming = Awaited<ReturnType<typeof openConfirming>>;

const MARKER = /<!-- relay:([a-z-]+):/;
const NOTHING = {
  kind: "labelled" as const,
  actor: "",
  actorIsBot: false,
  at: new Date(0),
  assignee: null,
  commentId: null,
  threadId: null,
  text: null,
  branch: null,
  outcome: null,
};

function nothingHeard({ provider, externalProjectId, externalIssueId }: Issue): TrackerEvent {
  return { provider, externalProjectId, externalIssueId, ...NOTHING };
}

export class Cut extends Error {}

/** A database and a tracker that fail at the n-th thing asked of them, before it is done or when only the answer is lost. */
export function cutAt(at: number, when: "before" | "after", { db, tracker }: Pick<Confirming, "db" | "tracker">) {
  let asked = 0;
  const cutting = async <T>(work: () => Promise<T>): Promise<T> => {
    asked += 1;
    const isNow = asked === at;
    if (isNow && when === "before") throw new Cut();
    const result = await work();
    if (isNow) throw new Cut();
    return result;
  };
  const cutDb: Database = {
    ...db,
    transaction: async (work) => await cutting(async () => await db.transaction(work)),
    execute: async (sql, parameters) => await cutting(async () => await db.execute(sql, parameters)),
  };
  const cutTracker: Tracker = {
    ...tracker,
    getIssue: async (address) => await cutting(async () => await tracker.getIssue(address)),
    listComments: async (...given) => await cutting(async () => await tracker.listComments(...given)),
    permissionOf: async (...given) => await cutting(async () => await tracker.permissionOf(...given)),
    createComment: async (...given) => await cutting(async () => await tracker.createComment(...given)),
  };
  return { db: cutDb, tracker: cutTracker, reached: () => asked >= at };
}
