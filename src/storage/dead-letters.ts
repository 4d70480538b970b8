import { z } from "zod";
import { type IssueAddress, PROVIDERS } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import { EVERYTHING, type Sight } from "../domain/sight.ts";
import type { Db } from "./db.ts";
import { seenBy } from "./sight.ts";
import { OF_ISSUE } from "./deliveries.ts";

/** Work that failed for good; `relay retry` runs it again. */
export interface DeadLetter {
  what: "delivery" | "wake";
  /** The tracker's id of the delivery; null for a wake-up. */
  deliveryId: string | null;
  issue: IssueAddress;
  attempts: number;
  error: string;
  deadLetteredAt: Date;
}

/** Work becomes a dead letter after this many failures that are not transient. */
export const MOST_ATTEMPTS = 8;

/** Counts a failed attempt at a delivery. */
export async function countFailure(db: Db, id: string, error: string): Promise<void> {
  await db.execute(`update deliveries set attempts = attempts + 1, error = $2 where id = $1`, [id, error]);
}

/** Makes a delivery a dead letter, so that those behind it proceed. */
export async function deadLetterDelivery(db: Db, id: string, error: string, clock: Clock): Promise<void> {
  await db.execute(`update deliveries set attempts = attempts + 1, error = $2, dead_lettered_at = $3 where id = $1`, [
    id,
    error,
    clock.now(),
  ]);
}

/** Counts a failed wake-up of an issue; true if that makes it a dead letter. */
export async function countFailedWake(db: Db, issueId: string, error: string, clock: Clock): Promise<boolean> {
  const row = await db.maybeOne(
    z.object({ given_up: z.boolean() }),
    `update issues set
       wake_error = $2,
       wake_attempts = case when wake_attempts + 1 >= $3 then 0 else wake_attempts + 1 end,
       wake_dead_lettered_at = case when wake_attempts + 1 >= $3 then $4::timestamptz end
     where id = $1
     returning wake_dead_lettered_at is not null as given_up`,
    [issueId, error, MOST_ATTEMPTS, clock.now()],
  );
  return row?.given_up ?? true;
}

/** Resets the count after a successful wake-up. */
export async function forgetFailedWakes(db: Db, issueId: string): Promise<void> {
  await db.execute(
    `update issues set wake_attempts = 0, wake_dead_lettered_at = null, wake_error = null where id = $1 and wake_error is not null`,
    [issueId],
  );
}

const letterRow = z
  .object({
    what: z.enum(["delivery", "wake"]),
    delivery_id: z.string().nullable(),
    provider: z.enum(PROVIDERS),
    project: z.string(),
    issue: z.string(),
    attempts: z.number(),
    error: z.string().nullable(),
    dead_lettered_at: z.date(),
  })
  .transform((row): DeadLetter => ({
    what: row.what,
    deliveryId: row.delivery_id,
    issue: { provider: row.provider, externalProjectId: row.project, externalIssueId: row.issue },
    attempts: row.attempts,
    error: row.error ?? "",
    deadLetteredAt: row.dead_lettered_at,
  }));

/**
 * Which dead letters are meant: those of an issue, even an unknown one; of repositories, null for all of them; or those
 * that a viewer may see. Viewers see unknown issues only where they may triage.
 */
type LettersOf = { issue: IssueAddress } | { repositories: readonly ProjectAddress[] | null } | { sight: Sight };
type ProjectAddress = Pick<IssueAddress, "provider" | "externalProjectId">;

/** The dead letters, oldest first, at most 1000. */
export async function listDeadLetters(db: Db, of: LettersOf = { repositories: null }): Promise<DeadLetter[]> {
  const sight = "sight" in of ? of.sight : EVERYTHING;
  const projects = "issue" in of ? [of.issue] : "sight" in of ? null : of.repositories;
  const seen = seenBy(sight, 6);
  const here = `where ($2::text[] is null or (provider, project) in (select * from unnest($2::text[], $3::text[])))
    and ($4::text is null or issue = $4)
    and ($5::boolean or exists (
      select from integrations i join repositories r on r.integration_id = i.id
      left join issues s on s.repository_id = r.id and s.external_issue_id = given_up.issue
      where i.provider = given_up.provider and r.external_project_id = given_up.project
        and case when s.id is null then r.id = any($7::bigint[]) else ${seen.where} end))`;
  return await db.query(
    letterRow,
    `(select * from (
        select 'delivery' as what, delivery_id, provider, event ->> 'externalProjectId' as project,
               event ->> 'externalIssueId' as issue, attempts, error, dead_lettered_at
        from deliveries where dead_lettered_at is not null) given_up
      ${here} order by dead_lettered_at limit 1000)
     union all
     (select * from (
        select 'wake', null, i.provider, r.external_project_id as project, s.external_issue_id as issue,
               $1::integer, s.wake_error, s.wake_dead_lettered_at as dead_lettered_at
        from issues s
        join repositories r on r.id = s.repository_id
        join integrations i on i.id = r.integration_id
        where s.wake_dead_lettered_at is not null) given_up
      ${here} order by dead_lettered_at limit 1000)
     order by dead_lettered_at limit 1000`,
    [
      MOST_ATTEMPTS,
      projects?.map(({ provider }) => provider) ?? null,
      projects?.map(({ externalProjectId }) => externalProjectId) ?? null,
      "issue" in of ? of.issue.externalIssueId : null,
      sight.repositories === null,
      ...seen.parameters,
    ],
  );
}

const addressRow = z
  .object({ provider: z.enum(PROVIDERS), project: z.string(), issue: z.string() })
  .transform(({ provider, project, issue }): IssueAddress => {
    return { provider, externalProjectId: project, externalIssueId: issue };
  });

/** Issues of a repository with waiting or dead-lettered work, at most 1000. */
export async function listHeldUp(db: Db, repositoryId: string): Promise<IssueAddress[]> {
  return await db.query(
    addressRow,
    `select i.provider, r.external_project_id as project, held.issue
     from repositories r
     join integrations i on i.id = r.integration_id
     cross join lateral (
       select external_issue_id as issue from issues s
       where s.repository_id = r.id and (s.debounce_until is not null or s.state in ('planning', 'specifying')
         or s.wake_dead_lettered_at is not null)
       union
       select event ->> 'externalIssueId' from deliveries d
       where d.provider = i.provider and d.event ->> 'externalProjectId' = r.external_project_id
         and d.dead_lettered_at is not null) held
     where r.id = $1 limit 1000`,
    [repositoryId],
  );
}

/** Makes the dead-lettered deliveries of an issue pending again, in their old positions; returns how many. */
export async function retryDeadLetters(db: Db, issue: IssueAddress): Promise<number> {
  return await db.execute(
    `update deliveries set dead_lettered_at = null, attempts = 0 where ${OF_ISSUE} and dead_lettered_at is not null`,
    [issue.provider, issue.externalProjectId, issue.externalIssueId],
  );
}
