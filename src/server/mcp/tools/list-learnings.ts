import { z } from "zod";
import { LEARNING_STATUSES } from "../../../domain/learning.ts";
import { listKept } from "../../../storage/learnings.ts";
import { learningSchema, shownLearning } from "../../api/shapes/learning.ts";
import { repositoriesNamed, sightOn } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Tool, tool } from "../tool.ts";

/** Characters of a learning, and of all. */
const MOST = { content: 600, text: 30_000 };

export const listLearnings: Tool = tool({
  name: "list_learnings",
  title: "List learnings",
  description:
    "What the team has taught Relay about a repository: conventions and facts of the domain. Those in force are `approved`; a proposed one was not looked at by a person yet.",
  effect: "reads",
  input: z.strictObject({
    repository: z
      .string()
      .max(200)
      .optional()
      .describe("Such as acme/shop; `all` for all. Left out: the repository of the current folder, else all."),
    status: z.enum([...LEARNING_STATUSES, "all"]).default("approved"),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({
    learnings: z.array(learningSchema).describe("The newest, oldest first."),
    left_out: z.int().describe("Older ones that do not fit the limit."),
    notice,
  }),
  run: async ({ repository, status, limit }, context) => {
    const db = await context.db();
    const named = repository === undefined || repository === "all" ? null : repository;
    const sight = await sightOn(repository, context);
    const [known] = named === null ? [] : await repositoriesNamed(named, db, context);
    const kept = await listKept(db, {
      repository: known?.externalProjectId ?? null,
      status: status === "all" ? null : status,
      sight: named === null ? sight : context.viewer,
    });
    const learnings = kept.slice(-limit).map((one) => ({
      ...shownLearning(one),
      content: context.quote.line(one.content, MOST.content),
    }));
    const lines = learnings.map((one) => `${one.id} (${one.status}, ${one.repository ?? "everywhere"}) ${one.content}`);
    const left = kept.length - learnings.length;
    const more = left === 0 ? "" : `\n${left} older ones are left out; raise limit.`;
    const text = lines.length === 0 ? "No learnings." : context.quote.text("learnings", lines.join("\n"), MOST.text);
    return { text: `${text}${more}`, data: { learnings, left_out: left, notice: NOTICE } };
  },
});
