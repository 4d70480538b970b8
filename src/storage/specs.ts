import { camelRow } from "./camel-row.ts";
import { z } from "zod";
import {
  COMPLEXITIES,
  readsOf,
  specRefSchema,
  staleCitationSchema,
  type Complexity,
  type SpecReads,
  type SpecRef,
  type StaleCitation,
} from "../domain/spec.ts";
import type { Issue } from "../domain/issue.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const specVersionRow = camelRow({
  id: z.string(),
  version: z.number(),
  ref: specRefSchema,
  complexity: z.enum(COMPLEXITIES),
  complexityReason: z.string(),
  validationStatus: z.enum(["valid", "partial"]),
  status: z.enum(["draft", "approved", "rejected", "stale"]),
  /** Who approved or rejected this version, and when; null if nobody did, or it is unknown. */
  decidedBy: z.string().nullable(),
  decidedAt: z.date().nullable(),
  summary: z.array(z.string()),
  changelog: z.string(),
  commit: z.string().nullable(),
  staleCitations: z.array(staleCitationSchema),
  createdAt: z.date(),
});

/** The columns of that row, without the text, which is long. */
export const SPEC_COLUMNS = `id, version, ref, complexity, complexity_reason, validation_status, status, decided_by, decided_at,
  summary, changelog, commit, stale_citations, created_at`;

export type SpecVersion = z.infer<typeof specVersionRow>;

/**
 * The status to show: a spec with citations that no longer hold is stale, whatever people said about it (R-SPEC-15).
 */
export function statusOf({ status, staleCitations }: SpecVersion): SpecVersion["status"] {
  return staleCitations.length > 0 ? "stale" : status;
}

export interface NewSpecVersion {
  ref: SpecRef;
  /** Its text, a copy of the one in the spec store. */
  content: string;
  complexity: Complexity;
  complexityReason: string;
  validationStatus: "valid" | "partial";
  summary: string[];
  changelog: string;
  metadata: unknown;
  commit: string | null;
  read: SpecReads;
}

/**
 * Adds a version; the same content twice in a row stays one version, which has then read more (R-SPEC-11, R-SPEC-16).
 */
export async function addSpecVersion(
  db: Db,
  issueId: string,
  version: NewSpecVersion,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<void> {
  await db.execute(
    `insert into specs (id, issue_id, version, ref, complexity, complexity_reason, validation_status, summary,
                        changelog, metadata, commit, created_at, content)
     select $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $13
     from specs where issue_id = $2
     having coalesce((array_agg(ref order by version desc))[1] ->> 'sha256', '') <> $12`,
    [
      ids.next(),
      issueId,
      JSON.stringify(version.ref),
      version.complexity,
      version.complexityReason,
      version.validationStatus,
      JSON.stringify(version.summary),
      version.changelog,
      JSON.stringify(version.metadata),
      version.commit,
      clock.now(),
      version.ref.sha256,
      version.content,
    ],
  );
  await db.execute(
    `update specs set read = $2 where id = (select id from specs where issue_id = $1 order by version desc limit 1)`,
    [issueId, JSON.stringify(version.read)],
  );
}

/** What the newest version has read; null without one, or if it was written before this was recorded. */
export async function readBySpec(db: Db, issueId: string): Promise<SpecReads | null> {
  const row = await db.maybeOne(
    z.object({ read: z.object({ text: z.string(), messages: z.record(z.string(), z.string()) }).nullable() }),
    `select read from specs where issue_id = $1 order by version desc limit 1`,
    [issueId],
  );
  return row?.read ?? null;
}

/** Whether the issue's own text was edited since the newest version read it. */
export async function isTextEdited(db: Db, issue: Pick<Issue, "id" | "title" | "body">): Promise<boolean> {
  const read = await readBySpec(db, issue.id);
  return read !== null && read.text !== readsOf(issue, []).text;
}

/** The newest version of an issue's spec. */
export async function latestSpec(db: Db, issueId: string): Promise<SpecVersion | null> {
  return await db.maybeOne(
    specVersionRow,
    `select ${SPEC_COLUMNS} from specs where issue_id = $1 order by version desc limit 1`,
    [issueId],
  );
}

/** All versions of an issue's spec, oldest first. */
export async function listSpecVersions(db: Db, issueId: string): Promise<SpecVersion[]> {
  return await db.query(specVersionRow, `select ${SPEC_COLUMNS} from specs where issue_id = $1 order by version`, [
    issueId,
  ]);
}

/** The text of a version with this sha256, as it was written; null if it was not kept. */
export async function keptSpecText(db: Db, issueId: string, sha256: string): Promise<string | null> {
  const row = await db.maybeOne(
    z.object({ content: z.string() }),
    `select content from specs where issue_id = $1 and ref ->> 'sha256' = $2 and content is not null limit 1`,
    [issueId, sha256],
  );
  return row?.content ?? null;
}

const uncopiedRow = z.object({ id: z.string(), ref: specRefSchema });

/** Versions whose text is not in the database and was not searched for since `before`, never searched ones first. */
export async function listUncopiedSpecs(
  db: Db,
  { before, most }: { before: Date; most: number },
): Promise<z.infer<typeof uncopiedRow>[]> {
  return await db.query(
    uncopiedRow,
    `select id, ref from specs where content is null and (content_sought_at is null or content_sought_at < $1)
     order by content_sought_at nulls first, id limit $2`,
    [before, most],
  );
}

/** Keeps the text of a version that has none in the database yet. */
export async function keepSpecText(db: Db, id: string, content: string): Promise<void> {
  await db.execute(`update specs set content = $2 where id = $1 and content is null`, [id, content]);
}

/** Stores when the text of a version was last searched for in vain; null if its store has lost it. */
export async function markTextSought(db: Db, id: string, at: Date | null): Promise<void> {
  await db.execute(`update specs set content_sought_at = coalesce($2, 'infinity'::timestamptz) where id = $1`, [
    id,
    at,
  ]);
}

/** Stores a version's new place; its content stays the same. */
export async function setSpecVersionRef(db: Db, id: string, ref: SpecRef): Promise<void> {
  await db.execute(`update specs set ref = $2 where id = $1 and ref ->> 'sha256' = $3`, [
    id,
    JSON.stringify(ref),
    ref.sha256,
  ]);
}

const openSpecRow = camelRow({
  id: z.string(),
  issueId: z.string(),
  ref: specRefSchema,
  commit: z.string().nullable(),
  checkedCommit: z.string().nullable(),
  staleCitations: z.array(staleCitationSchema),
});

export type OpenSpec = z.infer<typeof openSpecRow>;

/**
 * The newest specs of a repository's issues that are neither done nor closed, oldest issue first; with `files`, only
 * those whose text names one of them, or is not known here.
 */
export async function listOpenSpecs(
  db: Db,
  repositoryId: string,
  files: readonly string[] | null,
): Promise<OpenSpec[]> {
  return await db.query(
    openSpecRow,
    `select id, issue_id, ref, commit, checked_commit, stale_citations from (
       select distinct on (s.issue_id) s.* from specs s join issues i on i.id = s.issue_id
       where i.repository_id = $1 and i.state not in ('done', 'closed') order by s.issue_id, s.version desc) newest
     where $2::text[] is null or content is null
        or exists (select from unnest($2::text[]) file where position(file in content) > 0)
     order by issue_id`,
    [repositoryId, files],
  );
}

/** Stores which citations of a version do not hold at a commit; false if they were checked since `spec` was read. */
export async function setStaleCitations(
  db: Db,
  spec: Pick<OpenSpec, "id" | "checkedCommit">,
  { commit, stale }: { commit: string; stale: readonly StaleCitation[] },
): Promise<boolean> {
  const set = await db.query(
    z.object({ id: z.string() }),
    `update specs set stale_citations = $2, checked_commit = $3
     where id = $1 and checked_commit is not distinct from $4 returning id`,
    [spec.id, JSON.stringify(stale), commit, spec.checkedCommit],
  );
  return set.length > 0;
}

/** A person's verdict on the newest version; its document stays as it is (R-SPEC-4). */
export interface SpecVerdict {
  status: "approved" | "rejected";
  /** Null if unknown. */
  by: string | null;
}

export async function setSpecStatus(db: Db, issueId: string, { status, by }: SpecVerdict, clock: Clock): Promise<void> {
  await db.execute(
    `update specs set status = $2, decided_by = $3, decided_at = $4
     where id = (select id from specs where issue_id = $1 order by version desc limit 1)`,
    [issueId, status, by, clock.now()],
  );
}
