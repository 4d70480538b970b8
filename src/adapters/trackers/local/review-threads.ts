import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { checkComment } from "../texts.ts";
import type { ReviewThread } from "../code-host.ts";
import type { TrackerComment } from "../tracker.ts";
import { isId } from "./comments.ts";
import { commentRow, type Sql } from "./rows.ts";

/** Per request; the newest if there are more. */
const MOST_COMMENTS = 1_000;

const SELECT = `
  select c.id, c.thread_id, c.author, m.is_bot, c.body, c.created_at, c.edited_at, t.path, t.line, t.resolved
  from local_review_comments c
  join local_review_threads t on t.id = c.thread_id
  left join local_members m on m.project = t.project and lower(m.login) = lower(c.author)
  where t.project = $1 and t.number = $2`;

const threadRow = z
  .object({ thread_id: z.string(), path: z.string().nullable(), line: z.number().nullable(), resolved: z.boolean() })
  .and(commentRow);

/** All discussion of a request: threads in the order in which they were opened, comments oldest first. */
export async function reviewThreads(db: Sql, project: string, number: number): Promise<ReviewThread[]> {
  const rows = await db.query(threadRow, `${SELECT} order by c.created_at desc, c.id desc limit ${MOST_COMMENTS}`, [
    project,
    number,
  ]);
  const threads = new Map<string, ReviewThread>();
  for (const { thread_id: id, path, line, resolved, ...comment } of rows.toReversed()) {
    const thread = threads.get(id) ?? { id, path, line, resolved, comments: [] };
    thread.comments.push(comment);
    threads.set(id, thread);
  }
  return [...threads.values()];
}

export interface Saying {
  id: string;
  author: string;
  body: string;
  at: Date;
}

/** Opens a thread, on a line or under the request as a whole. */
export async function openThread(
  tx: Sql,
  request: { project: string; number: number },
  place: { path: string; line: number } | null,
  saying: Saying,
): Promise<TrackerComment> {
  checkComment(saying.body);
  await tx.execute(`insert into local_review_threads (id, project, number, path, line) values ($1, $2, $3, $4, $5)`, [
    saying.id,
    request.project,
    request.number,
    place?.path ?? null,
    place?.line ?? null,
  ]);
  return await insert(tx, { ...request, threadId: saying.id }, saying);
}

/** @throws RelayError `not_found` when the request has no such thread */
export async function answerThread(
  tx: Sql,
  thread: { project: string; number: number; threadId: string },
  saying: Saying,
): Promise<TrackerComment> {
  checkComment(saying.body);
  await requireThread(tx, thread);
  return await insert(tx, thread, saying);
}

/** @throws RelayError `not_found` when the request has no such thread */
export async function resolveThread(
  tx: Sql,
  thread: { project: string; number: number; threadId: string },
): Promise<void> {
  await requireThread(tx, thread);
  await tx.execute(`update local_review_threads set resolved = true where id = $1`, [thread.threadId]);
}

async function insert(
  tx: Sql,
  { project, number, threadId }: { project: string; number: number; threadId: string },
  { id, author, body, at }: Saying,
): Promise<TrackerComment> {
  await tx.execute(
    `insert into local_review_comments (id, thread_id, author, body, created_at) values ($1, $2, $3, $4, $5)`,
    [id, threadId, author, body, at],
  );
  const made = await tx.maybeOne(commentRow, `${SELECT} and c.id = $3`, [project, number, id]);
  if (made) return made;
  throw new RelayError("internal", `the comment in thread ${threadId} is not there; say it again`);
}

async function requireThread(
  tx: Sql,
  { project, number, threadId }: { project: string; number: number; threadId: string },
): Promise<void> {
  const found =
    isId(threadId) &&
    (await tx.maybeOne(
      z.object({}),
      `select from local_review_threads where id = $1 and project = $2 and number = $3`,
      [threadId, project, number],
    ));
  if (found) return;
  throw new RelayError("not_found", `there is no thread ${threadId} at request ${number} of ${project}`, {
    status: 404,
  });
}
