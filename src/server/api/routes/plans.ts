import { Hono } from "hono";
import { z } from "zod";
import { issueName } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import { listPlans } from "../../../storage/plans.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import { planSchema, shownPlan } from "../shapes/plan.ts";
import { count } from "../texts.ts";

const PLAN = `${ISSUE}/plan`;

export const plansSchema = z.object({ versions: z.array(planSchema) }).meta({ id: "Plans" });

/** The plan of an issue, and its versions. */
export function planRoutes(deps: ApiDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();

  routes.get(
    PLAN,
    told({ id: "getPlan", tag: "plans", summary: "The newest version.", answer: planSchema, refusals: [404] }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const newest = (await listPlans(deps.db(), issue.id)).at(-1);
      if (newest !== undefined) return c.json(shownPlan(newest));
      throw new RelayError("not_found", `${issueName(issue)} has no plan yet: it is made from the spec`);
    },
  );

  routes.get(
    `${PLAN}/versions`,
    told({
      id: "listPlanVersions",
      tag: "plans",
      summary: "All versions, oldest first.",
      answer: plansSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const answer: z.infer<typeof plansSchema> = { versions: (await listPlans(deps.db(), issue.id)).map(shownPlan) };
      return c.json(answer);
    },
  );

  routes.get(
    `${PLAN}/versions/:version`,
    told({ id: "getPlanVersion", tag: "plans", summary: "One version.", answer: planSchema, refusals: [404] }),
    given("param", issuePath.extend({ version: count })),
    async (c) => {
      const path = c.req.valid("param");
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(path));
      const found = (await listPlans(deps.db(), issue.id)).find(({ version }) => version === path.version);
      if (found !== undefined) return c.json(shownPlan(found));
      throw new RelayError("not_found", `${issueName(issue)} has no version ${path.version} of its plan`);
    },
  );
  return routes;
}
