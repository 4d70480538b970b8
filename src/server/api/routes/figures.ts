import { Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../../app/people/viewer.ts";
import { RelayError } from "../../../lib/errors.ts";
import { timedCosts } from "../../../storage/costs.ts";
import { issueNames } from "../../../storage/issues.ts";
import { findCall } from "../../../storage/model-calls.ts";
import { callsInWindow } from "../../../storage/pages.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import { time, timeOf } from "../shapes/basics.ts";
import {
  callSchema,
  dayCostsSchema,
  shownCall,
  shownDayCosts,
  shownWholeCall,
  wholeCallSchema,
} from "../shapes/costs.ts";
import { limit, next, rowId } from "../texts.ts";

const DAY_MS = 86_400_000;
/** Calls that are read for one page, if the viewer may not see all of them. */
const LOOKED_AT = 1_000;

const callsQuery = z.strictObject({ limit: limit(50, 200), before: rowId.optional() });
export const callsSchema = z.object({ calls: z.array(callSchema), next }).meta({ id: "ModelCalls" });

export const costsSchema = z.object({ since: time, costs: z.array(dayCostsSchema) }).meta({ id: "Costs" });

/** Model calls, and what they cost. */
export function figureRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db, clock } = deps;
  const routes = new Hono<PageEnv>();

  routes.get(
    "/calls",
    told({
      id: "listCalls",
      tag: "figures",
      summary: "Model calls, the newest first, without their texts.",
      answer: callsSchema,
    }),
    given("query", callsQuery),
    async (c) => c.json(await callPage(null, c.req.valid("query"), c.get("viewer"), deps)),
  );

  routes.get(
    `${ISSUE}/calls`,
    told({
      id: "listIssueCalls",
      tag: "figures",
      summary: "Model calls of one issue, the newest first, without their texts.",
      answer: callsSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    given("query", callsQuery),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      return c.json(await callPage(issue.id, c.req.valid("query"), c.get("viewer"), deps));
    },
  );

  routes.get(
    "/calls/:id",
    told({
      id: "getCall",
      tag: "figures",
      summary: "One model call with its prompt and answer.",
      answer: wholeCallSchema,
      refusals: [404],
    }),
    given("param", z.object({ id: rowId })),
    async (c) => {
      const { id } = c.req.valid("param");
      const call = await findCall(db(), id, c.get("viewer"));
      if (call === null) throw new RelayError("not_found", `there is no model call ${id}`);
      const names = await issueNames(db(), call.issueId === null ? [] : [call.issueId]);
      return c.json(z.json().parse(shownWholeCall(call, names.get(call.issueId ?? "") ?? null)));
    },
  );

  routes.get(
    "/costs",
    told({
      id: "listCosts",
      tag: "figures",
      summary: "What model calls cost, by day, stage, model and repository.",
      answer: costsSchema,
    }),
    given(
      "query",
      z.strictObject({
        days: z.coerce.number().int().min(1).max(366).default(30).meta({ description: "Days, today included." }),
      }),
    ),
    async (c) => {
      const now = clock.now().getTime();
      const since = new Date(now - (now % DAY_MS) - (c.req.valid("query").days - 1) * DAY_MS);
      const found = await timedCosts(db(), since, c.get("viewer").repositories);
      const answer: z.infer<typeof costsSchema> = { since: timeOf(since), costs: found.map(shownDayCosts) };
      return c.json(answer);
    },
  );
  return routes;
}

async function callPage(
  issueId: string | null,
  query: z.infer<typeof callsQuery>,
  viewer: Viewer,
  { db }: ApiDeps,
): Promise<z.infer<typeof callsSchema>> {
  const rows = await callsInWindow(db(), {
    sight: viewer,
    issueId,
    before: query.before ?? null,
    window: LOOKED_AT,
  });
  const calls = rows.flatMap(({ call, issueId: of }) => (call === null ? [] : [{ call, of }]));
  const page = calls.slice(0, query.limit);
  const names = await issueNames(db(), [...new Set(page.flatMap(({ of }) => of ?? []))]);
  const last = calls.length > query.limit ? page.at(-1)?.call.id : rows.length === LOOKED_AT ? rows.at(-1)?.id : null;
  return { calls: page.map(({ call, of }) => shownCall(call, names.get(of ?? "") ?? null)), next: last ?? null };
}
