import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { record } from "./audit.ts";
import type { Db } from "./db.ts";

export interface Rating {
  /** 1 to 5. */
  stars: number;
  note: string | null;
  /** Login of the person who rated. */
  by: string;
}

/**
 * Rates the outcome of a cycle, by default the last one (R-OBS-1). Returns the cycle's number, or null if there is no
 * such outcome. A later rating replaces an earlier one; the audit log keeps both.
 */
export async function rateOutcome(
  db: Db,
  issueId: string,
  cycle: number | null,
  { stars, note, by }: Rating,
  { clock, ids }: { clock: Clock; ids: Ids },
): Promise<number | null> {
  return await db.transaction(async (tx) => {
    const found = await tx.maybeOne(
      z.object({ id: z.string(), number: z.number() }),
      `select c.id, c.number from cycles c
       where c.issue_id = $1 and ($2::int is null or c.number = $2)
         and exists (select 1 from llm_evals e where e.cycle_id = c.id and e.kind = 'outcome')
       order by c.number desc limit 1`,
      [issueId, cycle],
    );
    if (found === null) return null;
    await tx.execute(
      `update llm_evals set rating = $2, rating_note = $3, rated_by = $4, rated_at = $5
       where cycle_id = $1 and kind = 'outcome'`,
      [found.id, stars, note, by, clock.now()],
    );
    const after = { cycle: found.number, stars };
    await record(
      tx,
      { issueId, actor: by, what: "outcome.rated", ...(note === null ? {} : { why: note }), after },
      { clock, ids },
    );
    return found.number;
  });
}
