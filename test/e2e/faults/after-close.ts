import { hasMarkerOf } from "../../../src/domain/marker.ts";
import type { Closing } from "./people.ts";
import { type World, BOT, SLOW_MS } from "./world.ts";

/** The longest that a comment takes which Relay was about to post: a process may stand still before, and it is slow. */
const ONE_REQUEST_MS = SLOW_MS + 6_000;
/** What Relay says because an issue was closed. */
const FAREWELLS = ["cancelled", "closed"];

/**
 * How many of the closings lasted longer than one request after Relay had acknowledged them, and what it said in them
 * from then on.
 */
export async function listenAfter(
  world: Pick<World, "provider" | "acknowledgedClosings" | "look">,
  closings: readonly Closing[],
): Promise<{ listened: number; heard: string[] }> {
  const acknowledged = await world.acknowledgedClosings();
  const issues = await world.look();
  const silences = closings.flatMap(({ issue, from, until }) => {
    const times = acknowledged.filter((one) => one.issue === issue && one.at >= from && one.at < until);
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
