import { Hono } from "hono";
import { z } from "zod";
import { standingText } from "../../../notify/status-comment.ts";
import { listDeadLetters } from "../../../storage/dead-letters.ts";
import { listFindings } from "../../../storage/findings.ts";
import { listGaps } from "../../../storage/gaps.ts";
import { overviewsOf } from "../../../storage/issue-overview.ts";
import { listMessages } from "../../../storage/messages.ts";
import { auditOfComments, auditPage } from "../../../storage/pages.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import { time, timeOf } from "../shapes/basics.ts";
import { issueSchema, shownIssue } from "../shapes/issue.ts";
import { dossierSchema, findingSchema, gapSchema, shownDossier, shownFinding, shownGap } from "../shapes/known.ts";
import { deadLetterSchema, shownLetter } from "../shapes/queue.ts";
import { auditSchema, messageSchema, shownAudit, shownMessages } from "../shapes/thread.ts";
import { count, limit, next, rowId } from "../texts.ts";

export const wholeIssueSchema = issueSchema
  .extend({
    words: z.string().meta({ description: "Where it stands, in a sentence." }),
    body: z.string(),
    labels: z.array(z.string()),
    assignees: z.array(z.string()),
    reporter: z.string(),
    language: z.string(),
    confidential: z.boolean(),
    opened_at: time,
    dead_letters: z.array(deadLetterSchema),
  })
  .meta({ id: "WholeIssue", description: "Where an issue stands, with its own text." });

export const messagesSchema = z.object({ messages: z.array(messageSchema), next }).meta({ id: "Messages" });
export const timelineSchema = z.object({ entries: z.array(auditSchema), next }).meta({ id: "Timeline" });
export const gapsSchema = z.object({ gaps: z.array(gapSchema) }).meta({ id: "Gaps" });
export const findingsSchema = z.object({ findings: z.array(findingSchema) }).meta({ id: "Findings" });

/** One issue, its thread, its record, and what is known about it. */
export function issueRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db, bot } = deps;
  const routes = new Hono<PageEnv>();

  routes.get(
    ISSUE,
    told({
      id: "getIssue",
      tag: "issues",
      summary: "Where an issue stands.",
      answer: wholeIssueSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const address = addressIn(c.req.valid("param"));
      const issue = await seenIssue(deps, c.get("viewer"), address);
      const overview = (await overviewsOf(db(), [issue.id]))(issue.id);
      const { specStore: places } = await deps.relay();
      const answer: z.infer<typeof wholeIssueSchema> = {
        ...(await shownIssue(issue, overview, { places, bot })),
        words: standingText(issue, overview, bot),
        body: issue.body,
        labels: issue.labels,
        assignees: issue.assignees,
        reporter: issue.reporter,
        language: issue.language,
        confidential: issue.confidential,
        opened_at: timeOf(issue.openedAt),
        dead_letters: (await listDeadLetters(db(), { issue: address })).map(shownLetter),
      };
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/messages`,
    told({
      id: "listMessages",
      tag: "issues",
      summary: "The newest messages of the thread, oldest first, and what Relay made of each.",
      answer: messagesSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    given("query", z.strictObject({ limit: limit(100, 500), before: count.optional() })),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const query = c.req.valid("query");
      const found = await listMessages(db(), issue.id, query.limit + 1, query.before ?? null);
      const page = found.slice(-query.limit);
      const audit = await auditOfComments(
        db(),
        issue.id,
        page.map(({ externalId }) => externalId),
      );
      const answer: z.infer<typeof messagesSchema> = {
        messages: shownMessages(issue, page, audit),
        next: found.length > query.limit ? String(page[0]?.seq ?? 0) : null,
      };
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/timeline`,
    told({
      id: "listTimeline",
      tag: "issues",
      summary: "What happened and why, the newest first: the issue's append-only record.",
      answer: timelineSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    given("query", z.strictObject({ limit: limit(100, 500), before: rowId.optional() })),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const query = c.req.valid("query");
      const found = await auditPage(db(), issue.id, { before: query.before ?? null, most: query.limit + 1 });
      const page = found.slice(0, query.limit);
      const answer: z.infer<typeof timelineSchema> = {
        entries: page.map(shownAudit),
        next: found.length > query.limit ? (page.at(-1)?.id ?? null) : null,
      };
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/gaps`,
    told({
      id: "listGaps",
      tag: "issues",
      summary: "Questions with their answers; those closed as `inferred` are the assumptions.",
      answer: gapsSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    given("query", z.strictObject({ closed_reason: gapSchema.shape.closed_reason.unwrap().optional() })),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const { closed_reason: reason } = c.req.valid("query");
      const found = await listGaps(db(), issue.id);
      const answer: z.infer<typeof gapsSchema> = {
        gaps: found.filter((gap) => reason === undefined || gap.closedReason === reason).map(shownGap),
      };
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/findings`,
    told({
      id: "listFindings",
      tag: "issues",
      summary: "What was found in the code, with its sources.",
      answer: findingsSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const answer: z.infer<typeof findingsSchema> = {
        findings: (await listFindings(db(), issue.id)).toSorted((a, b) => a.number - b.number).map(shownFinding),
      };
      return c.json(answer);
    },
  );

  routes.get(
    `${ISSUE}/dossier`,
    told({
      id: "getDossier",
      tag: "issues",
      summary: "All that is known about an issue, at the newest commit that Relay has of the code.",
      description: "The first call for a repository may take as long as fetching its code.",
      answer: dossierSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const { dossierOf } = await deps.relay();
      return c.json(shownDossier(issue, await dossierOf(issue)));
    },
  );
  return routes;
}
