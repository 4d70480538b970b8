import { canReach } from "../../support/can-reach.ts";
import { z } from "zod";
import { ISSUE_STATES } from "../../../src/domain/lifecycle.ts";
import { STATE_LABELS, labelsFor } from "../../../src/domain/state-labels.ts";
import type { Db } from "../../../src/storage/db.ts";
import { type SeenComment, type SeenIssue, type World, BOT } from "./world.ts";

const issueRow = z.object({ id: z.string(), number: z.string(), state: z.enum(ISSUE_STATES) });
const messageRow = z.object({ issue: z.string(), id: z.string(), author: z.string(), body: z.string() });
const actionRow = z.object({ issue: z.string(), key: z.string(), type: z.string(), status: z.string() });
const state = z.enum(ISSUE_STATES).nullable().catch(null);
const auditRow = z.object({
  issue: z.string(),
  what: z.string(),
  before: state,
  after: state,
  comment: z.string().nullable(),
});

const MARKER = /<!-- relay:(\S+) -->\s*$/;
const OWN_LABELS = new Set<string>(Object.values(STATE_LABELS));

/** What differs between a tracker and the database of an idle Relay; empty if they agree. */
export async function differencesIn(db: Db, world: World, except?: "but not what its thread is"): Promise<string[]> {
  const there = await world.look();
  const of = [world.provider, world.project];
  const from = `from issues i join repositories r on r.id = i.repository_id
    join integrations g on g.id = r.integration_id where g.provider = $1 and r.external_project_id = $2`;
  const inIssues = `in (select i.id ${from})`;
  const stored = await db.query(issueRow, `select i.id::text, external_issue_id as number, state ${from}`, of);
  const messages = await db.query(
    messageRow,
    `select issue_id::text as issue, external_id as id, author, content as body from messages where issue_id ${inIssues}`,
    of,
  );
  const actions = await db.query(
    actionRow,
    `select issue_id::text as issue, idempotency_key as key, action ->> 'type' as type, status from actions
     where issue_id ${inIssues}`,
    of,
  );
  const audit = await db.query(
    auditRow,
    `select issue_id::text as issue, what, before #>> '{}' as before, after #>> '{}' as after,
       case when jsonb_typeof(after) = 'object' then after ->> 'comment_id' end as comment from audit_log
     where issue_id ${inIssues} order by id`,
    of,
  );
  const byNumber = new Map(stored.map((issue) => [issue.number, issue]));
  const wrong: string[] = [];
  for (const seen of there) {
    const issue = byNumber.get(seen.number);
    const name = `${world.provider} #${seen.number}`;
    const own = <T extends { issue: string }>(rows: readonly T[]) => rows.filter((row) => row.issue === issue?.id);
    const tell = (what: string[]) => wrong.push(...what.map((one) => `${name}: ${one}`));
    const said = seen.comments.filter(({ author }) => author === BOT);
    if (!issue) {
      tell(said.map(({ body }) => `Relay says something in an issue that it does not know: ${body}`));
      if (seen.open && seen.assignees.includes(BOT)) tell(["Relay is assigned and does not know it"]);
      continue;
    }
    tell(wrongStanding(seen, issue.state));
    tell(wrongSteps(own(audit)));
    // What the end of an issue cut off goes on if that does, and is on record then.
    const ended = issue.state === "closed";
    tell(wrongWords(said, own(actions), ended));
    if (!ended) tell(wrongRecord(said, own(audit)));
    if (issue.state !== "closed" && except === undefined) {
      tell(wrongThread(seen.comments, own(messages)));
    }
  }
  return wrong;
}

function wrongStanding({ open, assignees, labels, reactions }: SeenIssue, stands: string): string[] {
  const known = z.enum(ISSUE_STATES).parse(stands);
  const wanted = labelsFor(known, STATE_LABELS).add.toSorted().join(" ");
  const found = labels
    .filter((label) => OWN_LABELS.has(label))
    .toSorted()
    .join(" ");
  return [
    ...(!open && known !== "closed" && known !== "done" ? [`it is closed, and ${known} here`] : []),
    ...(open && assignees.includes(BOT) && known === "closed" ? ["it is open and Relay's, and closed here"] : []),
    ...(known === "paused" ? ["it is paused: too many cycles failed"] : []),
    ...(wanted === found ? [] : [`it is ${known} and labelled “${found}”`]),
    ...repeatedIn(reactions).map((reaction) => `${reaction} twice`),
  ];
}

function wrongSteps(audit: readonly z.infer<typeof auditRow>[]): string[] {
  const engaged = audit.filter(({ what }) => what === "issue.engaged").length;
  const steps = audit.filter(({ what }) => what === "state.changed");
  return [
    ...(engaged === 1 ? [] : [`engaged ${engaged} times`]),
    ...steps.flatMap(({ before, after }) =>
      before !== null && after !== null && canReach(before, after, after) ? [] : [`it went from ${before} to ${after}`],
    ),
  ];
}

/** Each action that says something has its comment, and each comment its action: both once (R-ACT-5). */
function wrongWords(
  said: readonly SeenComment[],
  actions: readonly z.infer<typeof actionRow>[],
  ended: boolean,
): string[] {
  const keys = said.map(({ id, body }) => MARKER.exec(body)?.[1] ?? `none in ${id}`);
  const posted = actions.filter(({ type, status }) => type === "post_comment" && status === "done");
  const expected = new Set(posted.map(({ key }) => `action:${key}`));
  const pending = actions.filter(({ status }) => status === "pending");
  const open = new Set(ended ? pending.map(({ key }) => `action:${key}`) : []);
  return [
    ...repeatedIn(keys).map((key) => `two comments with the marker ${key}`),
    ...keys
      .filter((key) => (key.startsWith("action:") || key.startsWith("none")) && !expected.has(key) && !open.has(key))
      .map((key) => `a comment without a done action: ${key}`),
    ...[...expected].filter((key) => !keys.includes(key)).map((key) => `no comment of the done ${key}`),
    ...(ended ? [] : pending.map(({ type, key }) => `the ${type} ${key} was never finished`)),
  ];
}

/** The record has each comment once. */
function wrongRecord(said: readonly SeenComment[], audit: readonly z.infer<typeof auditRow>[]): string[] {
  const recorded = audit.flatMap(({ what, comment }) =>
    what === "comment.posted" && comment !== null ? [comment] : [],
  );
  const there = new Map(said.map(({ id, body }) => [id, MARKER.exec(body)?.[1] ?? "none"]));
  return [
    ...repeatedIn(recorded).map((id) => `the comment ${id} is on record twice`),
    ...recorded.filter((id) => !there.has(id)).map((id) => `the comment ${id} is on record and not there`),
    ...[...there]
      .filter(([id]) => !recorded.includes(id))
      .map(([id, key]) => `the comment ${id} (${key}) is on no record`),
  ];
}

/** The stored thread is the tracker's, but for what Relay itself said last. */
function wrongThread(there: readonly SeenComment[], here: readonly Omit<SeenComment, "at">[]): string[] {
  const stored = new Map(here.map((comment) => [comment.id, comment]));
  const ids = new Set(there.map(({ id }) => id));
  return [
    ...there
      .filter(({ id, author }) => !stored.has(id) && author !== BOT)
      .map(({ id, author }) => `the comment ${id} of ${author} is not stored`),
    ...there
      .filter(({ id, author, body }) => stored.has(id) && stored.get(id)?.body !== body && author !== BOT)
      .map(({ id }) => `the comment ${id} is another here`),
    ...here.filter(({ id }) => !ids.has(id)).map(({ id }) => `the comment ${id} is there no more`),
  ];
}

function repeatedIn(values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}
