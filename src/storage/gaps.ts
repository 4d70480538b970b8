import { camelRow } from "./camel-row.ts";
import { CLOSE_REASONS, RESPONDENTS, SEVERITIES, TOPICS, type CloseReason, type Gap } from "../domain/gap.ts";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const gapRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  number: z.number(),
  question: z.string(),
  evidence: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  respondent: z.enum(RESPONDENTS),
  topic: z.enum(TOPICS).nullable(),
  proposedDefault: z.string().nullable(),
  status: z.enum(["pending", "open", "closed"]),
  askedAt: z.date().nullable(),
  askedIn: z.string().nullable(),
  closedAt: z.date().nullable(),
  closedReason: z.enum(CLOSE_REASONS).nullable(),
  closedNote: z.string().nullable(),
  answeredIn: z.string().nullable(),
  createdAt: z.date(),
});

/** All gaps of an issue by number. */
export async function listGaps(db: Db, issueId: string): Promise<Gap[]> {
  return await db.query(gapRow, `select * from gaps where issue_id = $1 order by number`, [issueId]);
}

/** The number for the issue's next gap; numbers are never reused. */
export async function nextGapNumber(db: Db, issueId: string): Promise<number> {
  const row = await db.one(
    z.object({ next: z.number() }),
    `select last_gap_number + 1 as next from issues where id = $1`,
    [issueId],
  );
  return row.next;
}

export type NewGap = Pick<Gap, "question" | "evidence" | "severity" | "respondent" | "topic" | "proposedDefault"> & {
  /** Stored for later, not asked with this batch. */
  pending: boolean;
};

export async function addGap(
  db: Db,
  issueId: string,
  gap: NewGap,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<Gap> {
  const now = clock.now();
  return await db.one(
    gapRow,
    `with numbered as (
       update issues set last_gap_number = last_gap_number + 1 where id = $2 returning last_gap_number
     )
     insert into gaps (id, issue_id, number, question, evidence, severity, respondent, topic, proposed_default,
                       status, asked_at, created_at)
     select $1, $2, last_gap_number, $3, $4, $5, $6, $7, $8, $9, $10, $11 from numbered
     returning *`,
    [
      ids.next(),
      issueId,
      gap.question,
      gap.evidence,
      gap.severity,
      gap.respondent,
      gap.topic,
      gap.proposedDefault,
      gap.pending ? "pending" : "open",
      gap.pending ? null : now,
      now,
    ],
  );
}

/** Closes a gap and returns it; null if it was closed already. */
export async function closeGap(
  db: Db,
  gapId: string,
  reason: CloseReason,
  { note, answeredIn }: { note: string | null; answeredIn: string | null },
  clock: Clock,
): Promise<Gap | null> {
  return await db.maybeOne(
    gapRow,
    `update gaps set status = 'closed', closed_at = $2, closed_reason = $3, closed_note = $4, answered_in = $5
     where id = $1 and status <> 'closed' returning *`,
    [gapId, clock.now(), reason, note, answeredIn],
  );
}

/** Reopens a gap whose answer was removed; `closed_at` still shows that it was closed before. */
export async function reopenGap(db: Db, gapId: string): Promise<void> {
  await db.execute(
    `update gaps set status = 'open', closed_reason = null, closed_note = null, answered_in = null
     where id = $1 and status = 'closed'`,
    [gapId],
  );
}

/**
 * Sets when the running cycle's questions were asked: when its newest comment was posted, by the tracker's clock, since
 * Relay's may differ and posting may take long. Changes nothing without a comment.
 */
export async function askWithComment(db: Db, issueId: string): Promise<void> {
  await db.execute(
    `update gaps g set asked_at = p.posted_at, asked_in = p.comment_id
     from (select comment_id, posted_at from posts join cycles c on c.issue_id = posts.issue_id and c.status = 'running'
           where posts.issue_id = $1 and comment_id is not null
             and key like 'action:' || c.issue_id || '.' || c.number || '.%'
           order by posted_at desc limit 1) p
     where g.issue_id = $1 and g.status = 'open' and g.asked_in is null`,
    [issueId],
  );
}

/** Makes questions that were to be asked since then pending again, unless their comment stands in the thread. */
export async function keepForLater(tx: Db, issueId: string, since: Date): Promise<void> {
  await tx.execute(
    `update gaps set status = 'pending', asked_at = null
     where issue_id = $1 and status = 'open' and asked_in is null and closed_at is null and asked_at >= $2`,
    [issueId, since],
  );
}

/** Marks a pending gap as asked. */
export async function askGap(db: Db, gapId: string, clock: Clock): Promise<void> {
  await db.execute(`update gaps set status = 'open', asked_at = $2 where id = $1 and status = 'pending'`, [
    gapId,
    clock.now(),
  ]);
}
