import { z } from "zod";
import type { Db } from "../../../src/storage/db.ts";
import { hasMarkerOf } from "../../../src/domain/marker.ts";
import type { Closing } from "./people.ts";
import { type World, BOT, SLOW_MS } from "./world.ts";

/** The longest that a comment takes which Relay was about to post: a process may stand still before, and it is slow. */
const ONE_REQUEST_MS = SLOW_MS + 6_000;
/** What Relay says because an issue was closed. */
const FAREWELLS = ["cancelled", "closed"];

/** From now on, the database notes when it learns that an issue was closed: clocks of processes are moved in these tests. */
export async function recordClosings(db: Db): Promise<void> {
  await db.execute(
    `create table noted_closings (provider text, issue text, at timestamptz default clock_timestamp())`,
    [],
  );
  await db.execute(
    `create function note_closing() returns trigger language plpgsql as $$
     begin
       insert into noted_closings (provider, issue) values (new.provider, new.event ->> 'externalIssueId');
       return new;
     end $$`,
    [],
  );
  await db.execute(
    `create trigger note_closing after insert on deliveries
     for each row when (new.event ->> 'kind' = 'closed') execute function note_closing()`,
    [],
  );
}

const noted = z.object({ issue: z.coerce.number(), at: z.coerce.number() });

/** When Relay had stored that issues of a tracker were closed, by milliseconds. */
export async function storedClosings(db: Db, provider: World["provider"]): Promise<z.infer<typeof noted>[]> {
  return await db.query(
    noted,
    `select issue, (extract(epoch from at) * 1000)::float8 as at from noted_closings where provider = $1`,
    [provider],
  );
}

/**
 * How many of the closings lasted longer than one request after Relay had stored them, and what it said in them from then
 * on.
 */
export async function listenAfter(
  world: Pick<World, "provider" | "look">,
  closings: readonly Closing[],
  stored: readonly { issue: number; at: number }[],
): Promise<{ listened: number; heard: string[] }> {
  const issues = await world.look();
  const silences = closings.flatMap(({ issue, from, until }) => {
    const times = stored.filter((one) => one.issue === issue && one.at >= from && one.at < until);
    const begin = Math.min(...times.map(({ at }) => at + ONE_REQUEST_MS));
    return begin < until ? [{ issue, begin, until }] : [];
  });
  const heard = silences.flatMap(({ issue, begin, until }) => {
    const { comments = [] } = issues.find(({ number }) => number === String(issue)) ?? {};
    return comments
      .filter(({ author, at }) => author === BOT && at > begin && at < until)
      .filter(({ body }) => !FAREWELLS.some((kind) => hasMarkerOf(kind, body)))
      .map(({ id, at }) => `${world.provider} #${issue}: the comment ${id} came ${at - begin} ms too late for its end`);
  });
  return { listened: silences.length, heard };
}
