import { Hono } from "hono";
import { z } from "zod";
import { decideLearning } from "../../../app/people/learning-decisions.ts";
import type { Viewer } from "../../../app/people/viewer.ts";
import { LEARNING_STATUSES, LONGEST_LEARNING } from "../../../domain/learning.ts";
import { RelayError } from "../../../lib/errors.ts";
import { type LearningChange, listKept } from "../../../storage/learnings.ts";
import type { PageEnv } from "../../login.ts";
import type { ApiDeps } from "../deps.ts";
import { given, told } from "../describe.ts";
import { changeHeaders, once } from "../once.ts";
import { learningSchema, shownLearning } from "../shapes/learning.ts";
import { plainText, rowId } from "../texts.ts";

const idPath = z.object({ id: rowId });

export const learningsSchema = z.object({ learnings: z.array(learningSchema) }).meta({ id: "Learnings" });

/** Learnings, and decisions about them, by people who may write in their repository or run Relay (R-SAFE-8). */
export function learningRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db } = deps;
  const routes = new Hono<PageEnv>();

  routes.get(
    "/learnings",
    told({ id: "listLearnings", tag: "learnings", summary: "All learnings, oldest first.", answer: learningsSchema }),
    given(
      "query",
      z.strictObject({
        repository: plainText(500).optional(),
        status: z.enum(LEARNING_STATUSES).optional(),
      }),
    ),
    async (c) => {
      const { repository = null, status = null } = c.req.valid("query");
      const found = await listKept(db(), { repository, status, sight: c.get("viewer") });
      const answer: z.infer<typeof learningsSchema> = { learnings: found.map(shownLearning) };
      return c.json(answer);
    },
  );

  const change = async (viewer: Viewer, id: string, wanted: LearningChange) =>
    shownLearning(await decideLearning(id, wanted, viewer, deps));

  routes.post(
    "/learnings/:id/approve",
    told({
      id: "approveLearning",
      tag: "learnings",
      summary: "Puts a learning in force.",
      answer: learningSchema,
      refusals: [403, 404, 409, 413, 415, 422],
    }),
    given("param", idPath),
    given("header", changeHeaders),
    given(
      "json",
      z.strictObject({
        everywhere: z.boolean().default(false).meta({
          description: "In all repositories, not only in its own; for who runs Relay.",
        }),
      }),
    ),
    async (c) => {
      const { everywhere } = c.req.valid("json");
      const { id } = c.req.valid("param");
      return await once(c, deps, { status: 200 }, async () =>
        change(c.get("viewer"), id, { kind: "approve", everywhere }),
      );
    },
  );

  routes.patch(
    "/learnings/:id",
    told({
      id: "editLearning",
      tag: "learnings",
      summary: "Changes the text of a learning.",
      answer: learningSchema,
      refusals: [403, 404, 409, 413, 415, 422],
    }),
    given("param", idPath),
    given("header", changeHeaders),
    given("json", z.strictObject({ content: plainText(LONGEST_LEARNING) })),
    async (c) => {
      const content = c.req.valid("json").content.trim();
      const { id } = c.req.valid("param");
      if (content === "") throw new RelayError("invalid", "a learning needs words; remove it to have it gone");
      return await once(c, deps, { status: 200 }, async () => change(c.get("viewer"), id, { kind: "edit", content }));
    },
  );

  routes.delete(
    "/learnings/:id",
    told({
      id: "removeLearning",
      tag: "learnings",
      summary: "Removes a learning; the answer is the learning as it was.",
      answer: learningSchema,
      refusals: [403, 404, 409, 415, 422],
    }),
    given("param", idPath),
    given("header", changeHeaders),
    async (c) => {
      const { id } = c.req.valid("param");
      return await once(c, deps, { status: 200 }, async () => change(c.get("viewer"), id, { kind: "remove" }));
    },
  );
  return routes;
}
