import { z } from "zod";
import type { Db } from "../../../src/storage/db.ts";

const commentRow = z.object({ id: z.string(), author: z.string(), body: z.string() });
const MARKER = /<!-- relay:\S+ -->\s*$/;

/** What must not be in a database after `relay spec` has ended, however often it was cut off before; empty is good. */
export async function violationsIn(db: Db, issues = 1): Promise<string[]> {
  const comments = await db.query(commentRow, "select id, author, body from local_comments order by id", []);
  const own = comments.filter(({ author }) => author === "relay");
  const markers = own.map(({ id, body }) => MARKER.exec(body)?.[0] ?? `none in ${id}`);
  const posted = await db.query(
    z.object({ id: z.string() }),
    "select after ->> 'comment_id' as id from audit_log where what = 'comment.posted'",
    [],
  );
  const findings = await db.query(
    z.object({ text: z.string() }),
    "select issue_id || synthesis as text from findings",
    [],
  );
  const gaps = await db.query(z.object({ text: z.string() }), "select issue_id || question as text from gaps", []);
  const { known, running, engaged } = await db.one(
    z.object({ known: z.number(), running: z.number(), engaged: z.number() }),
    `select (select count(*)::int from issues) as known,
            (select count(*)::int from cycles where status = 'running') as running,
            (select count(*)::int from audit_log where what = 'issue.engaged') as engaged`,
    [],
  );
  return [
    ...(issues === 1
      ? twice(
          "comment",
          comments.map(({ author, body }) => `${author}: ${body.replace(MARKER, "").trim()}`),
        )
      : []),
    ...twice("marker", markers),
    ...markers.filter((marker) => marker.startsWith("none")).map((marker) => `marker ${marker}`),
    ...twice(
      "comment.posted",
      posted.map(({ id }) => id),
    ),
    ...differing("comments recorded as posted", posted.length, own.length),
    ...twice(
      "finding",
      findings.map(({ text }) => text),
    ),
    ...twice(
      "gap",
      gaps.map(({ text }) => text),
    ),
    ...differing("issues", known, issues),
    ...differing("engagements", engaged, issues),
    ...differing("running cycles", running, 0),
  ];
}

function twice(what: string, values: string[]): string[] {
  const seen = new Set<string>();
  return values.flatMap((value) => {
    if (seen.has(value)) return [`${what} is there twice: ${value}`];
    seen.add(value);
    return [];
  });
}

function differing(what: string, found: number, wanted: number): string[] {
  return found === wanted ? [] : [`${found} ${what}, not ${wanted}`];
}
