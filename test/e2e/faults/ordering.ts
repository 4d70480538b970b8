import { z } from "zod";
import type { Db } from "../../../src/storage/db.ts";

/** From now on, the database itself notes in which order deliveries are worked off: clocks are moved in these tests. */
export async function recordOrder(db: Db): Promise<void> {
  await db.execute(
    `create table noted_order (place bigint generated always as identity, delivery bigint not null, decision text)`,
    [],
  );
  await db.execute(
    `create function note_order() returns trigger language plpgsql as $$
     begin
       insert into noted_order (delivery, decision) values (new.id, new.decision);
       return new;
     end $$`,
    [],
  );
  await db.execute(
    `create trigger note_order after update of processed_at on deliveries
     for each row when (new.processed_at is not null) execute function note_order()`,
    [],
  );
}

const row = z.object({ issue: z.string(), position: z.coerce.number(), delivery: z.string() });

/** Deliveries that were worked off twice, or before an earlier one of their issue (R-IN-3). */
export async function reorderedIn(db: Db): Promise<string[]> {
  const noted = await db.query(
    row,
    `select d.provider || ' ' || (d.event ->> 'externalProjectId') || '#' || (d.event ->> 'externalIssueId') as issue,
            d.position::text as position, d.id::text as delivery
     from noted_order n join deliveries d on d.id = n.delivery order by n.place`,
    [],
  );
  const last = new Map<string, number>();
  const wrong: string[] = [];
  for (const { issue, position, delivery } of noted) {
    const before = last.get(issue) ?? -1;
    if (position <= before) wrong.push(`delivery ${delivery} of ${issue} was worked off behind a later one, or twice`);
    last.set(issue, Math.max(before, position));
  }
  return wrong;
}
