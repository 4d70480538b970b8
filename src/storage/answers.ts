import { z } from "zod";
import type { Db } from "./db.ts";

const answerRow = z
  .object({ output: z.object({ text: z.string(), calls: z.array(z.object({ tool: z.string(), input: z.string() })) }) })
  .nullable()
  .catch(null);

/** A model's last answer to exactly this prompt for an issue; null if it gave none, or the text was erased. */
export async function findAnswer(
  db: Db,
  { issueId, promptHash, model }: { issueId: string; promptHash: string; model: string },
): Promise<{ text: string; calls: { tool: string; input: string }[] } | null> {
  const row = await db.maybeOne(
    answerRow,
    `select output from llm_evals where issue_id = $1 and kind = 'call' and prompt_hash = $2 and model = $3
       and status = 'answered' order by id desc limit 1`,
    [issueId, promptHash, model],
  );
  return row?.output ?? null;
}
