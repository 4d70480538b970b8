import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import {
  type KeptLearning,
  LEARNINGS_READ,
  LEARNING_STATUSES,
  LEARNING_TYPES,
  type Learning,
  type LearningStatus,
  type LearningType,
} from "../domain/learning.ts";
import type { Clock } from "../lib/clock.ts";
import { RelayError } from "../lib/errors.ts";
import type { Ids } from "../lib/ids.ts";
import { record } from "./audit.ts";
import { EVERYTHING, type Sight } from "../domain/sight.ts";
import type { Db } from "./db.ts";
import { seenBy } from "./sight.ts";

const columns = {
  id: z.string(),
  workspaceId: z.string(),
  type: z.enum(LEARNING_TYPES),
  content: z.string(),
  createdAt: z.date(),
};
const learningRow = camelRow(columns);

const keptRow = camelRow({
  ...columns,
  repository: z.string().nullable(),
  repositoryId: z.string().nullable(),
  status: z.enum(LEARNING_STATUSES),
  proposedBy: z.string().nullable(),
  sourceMessageId: z.string().nullable(),
  sourceIssueId: z.string().nullable(),
  approvedBy: z.string().nullable(),
});

/**
 * The learnings for a repository's prompts: approved ones of the repository, and of all repositories of its workspace;
 * the newest `LEARNINGS_READ`, oldest first (R-SCALE-1).
 */
export async function listLearnings(db: Db, repositoryId: string): Promise<Learning[]> {
  const newest = await db.query(
    learningRow,
    `select l.* from repositories r join integrations i on i.id = r.integration_id
     cross join lateral unnest(array[0, r.id]) place
     cross join lateral (
       select * from learnings where status = 'approved' and workspace_id = i.workspace_id
         and coalesce(repository_id, 0) = place order by id desc limit $2) l
     where r.id = $1 order by l.id desc limit $2`,
    [repositoryId, LEARNINGS_READ],
  );
  return newest.toReversed();
}

const SELECT_KEPT = `select l.*, r.external_project_id as repository
  from learnings l left join repositories r on r.id = l.repository_id`;

/**
 * All learnings, including proposed ones, oldest first; for one repository, also those for all repositories. With
 * `sight`, only those from issues that the viewer may see.
 */
export async function listKept(
  db: Db,
  only: { repository: string | null; status: LearningStatus | null; sight?: Sight; id?: string },
): Promise<KeptLearning[]> {
  const seen = seenBy(only.sight ?? EVERYTHING, 4);
  return await db.query(
    keptRow,
    `${SELECT_KEPT} where ($1::text is null or r.id is null or lower(r.external_project_id) = lower($1))
       and ($2::text is null or l.status = $2)
       and ($3::bigint is null or l.id = $3)
       and ($4::bigint[] is null or case when l.source_issue_id is null then l.repository_id = any($5::bigint[])
         else l.source_issue_id in (select s.id from issues s where ${seen.where}) end) order by l.id`,
    [only.repository, only.status, only.id ?? null, ...seen.parameters],
  );
}

export interface NewLearning {
  type: LearningType;
  content: string;
  /** The author of the message that it comes from, and the tracker's id of that message. */
  proposedBy: string;
  sourceMessageId: string;
}

/**
 * Proposes a learning for an issue's repository, unless the repository knows it; true if added. Case, whitespace and
 * punctuation do not distinguish learnings (R-PLAN-9).
 */
export async function proposeLearning(
  db: Db,
  issueId: string,
  { type, content, proposedBy, sourceMessageId }: NewLearning,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<boolean> {
  const added = await db.execute(
    `insert into learnings (id, workspace_id, repository_id, type, content, content_key, source_issue_id,
                            source_message_id, proposed_by, created_at)
     select $1, n.workspace_id, r.id, $2, $3, $4, i.id, $6, $7, $8
     from issues i join repositories r on r.id = i.repository_id join integrations n on n.id = r.integration_id
     where i.id = $5 and not exists (
       select 1 from learnings l where l.workspace_id = n.workspace_id and l.content_key = $4
         and coalesce(l.repository_id, 0) in (0, r.id))
     on conflict do nothing`,
    [ids.next(), type, content.trim(), keyOf(content), issueId, sourceMessageId, proposedBy, clock.now()],
  );
  return added > 0;
}

/** A person's decision about a learning. */
export type LearningChange =
  /** `everywhere`: for all repositories of the workspace, not just its own. */
  { kind: "approve"; everywhere: boolean } | { kind: "edit"; content: string } | { kind: "remove" };

/**
 * The person who decides about a learning; with their personal token, if one is named; for one repository only, if
 * `repositoryId` is given.
 */
interface Decider {
  operator: string;
  token?: string | undefined;
  repositoryId?: string | undefined;
  clock: Clock;
  ids: Ids;
}

/**
 * Carries out a person's decision and records it. Returns the learning in its new form, or its last one if it was
 * removed.
 */
export async function changeLearning(
  db: Db,
  id: string,
  change: LearningChange,
  { operator, token, repositoryId, ...now }: Decider,
): Promise<KeptLearning> {
  return await db.transaction(async (tx) => {
    const before = await findKept(tx, id);
    if (before === null || (repositoryId !== undefined && before.repositoryId !== repositoryId)) {
      throw new RelayError("not_found", `there is no learning ${id}; \`relay learnings list\` shows them`);
    }
    await carryOut(tx, id, change, operator, now.clock);
    const after = change.kind === "remove" ? null : await findKept(tx, id);
    const what = `learning.${DONE[change.kind]}`;
    const why = token === undefined ? null : `with the token “${token}”`;
    await record(tx, { issueId: before.sourceIssueId, actor: operator, what, why, before, after }, now);
    return after ?? before;
  });
}

const DONE = { approve: "approved", edit: "edited", remove: "removed" } as const;

async function carryOut(tx: Db, id: string, change: LearningChange, by: string, clock: Clock): Promise<void> {
  switch (change.kind) {
    case "approve":
      if (change.everywhere) await refuseTwice(tx, id, null);
      await tx.execute(
        `update learnings set status = 'approved', approved_by = $2, approved_at = $3,
           repository_id = case when $4 then null else repository_id end where id = $1`,
        [id, by, clock.now(), change.everywhere],
      );
      return;
    case "edit":
      await refuseTwice(tx, id, keyOf(change.content));
      await tx.execute(`update learnings set content = $2, content_key = $3 where id = $1`, [
        id,
        change.content.trim(),
        keyOf(change.content),
      ]);
      return;
    case "remove":
      await tx.execute(`delete from learnings where id = $1`, [id]);
      return;
    default:
      change satisfies never;
  }
}

/** Throws `invalid` if another learning would say the same: `key` in the same repository, null everywhere. */
async function refuseTwice(tx: Db, id: string, key: string | null): Promise<void> {
  const other = await tx.maybeOne(
    z.object({ id: z.string() }),
    `select o.id from learnings l join learnings o on o.workspace_id = l.workspace_id and o.id <> l.id
     where l.id = $1 and o.type = l.type and o.content_key = coalesce($2, l.content_key)
       and coalesce(o.repository_id, 0) = case when $2 is null then 0 else coalesce(l.repository_id, 0) end limit 1`,
    [id, key],
  );
  if (other !== null) throw new RelayError("invalid", `learning ${other.id} says the same; remove one of the two`);
}

/** The learning, if the viewer may see it; otherwise null. */
export async function findSeenLearning(db: Db, id: string, sight: Sight): Promise<KeptLearning | null> {
  return (await listKept(db, { repository: null, status: null, sight, id }))[0] ?? null;
}

async function findKept(db: Db, id: string): Promise<KeptLearning | null> {
  return await db.maybeOne(keptRow, `${SELECT_KEPT} where l.id = $1`, [id]);
}

/** Removes an issue's proposals; learnings approved since stay, without their author and message. */
export async function forgetLearnings(tx: Db, issueId: string): Promise<void> {
  await tx.execute(`delete from learnings where source_issue_id = $1 and status = 'proposed'`, [issueId]);
  await tx.execute(`update learnings set proposed_by = null, source_message_id = null where source_issue_id = $1`, [
    issueId,
  ]);
}

function keyOf(content: string): string {
  return content
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
