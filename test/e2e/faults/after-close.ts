import { hasMarkerOf } from "../../../src/domain/marker.ts";
import type { Closing } from "./people.ts";
import { type World, BOT, SLOW_MS } from "./world.ts";

/** The longest that a comment takes which Relay was about to post: a process may stand still before, and it is slow. */
const ONE_REQUEST_MS = SLOW_MS + 6_000;
/** What Relay says because an issue was closed. */
const FAREWELLS = ["cancelled", "closed"];

/** What Relay said in closed issues, longer than one request after it had acknowledged that they were closed. */
export async function saidAfterClosing(world: World, closings: readonly Closing[]): Promise<string[]> {
  const acknowledged = await world.acknowledgedClosings();
  const issues = await world.look();
  return closings.flatMap(({ issue, from, until }) => {
    const heard = acknowledged
      .filter((one) => one.issue === issue && one.at >= from && one.at < until)
      .map(({ at }) => at + ONE_REQUEST_MS);
    const begin = Math.min(...heard);
    const { comments = [] } = issues.find(({ number }) => number === String(issue)) ?? {};
    return comments
      .filter(({ author, at }) => author === BOT && at > begin && at < until)
      .filter(({ body }) => !FAREWELLS.some((kind) => hasMarkerOf(kind, body)))
      .map(({ id, at }) => `${world.provider} #${issue}: the comment ${id} came ${at - begin} ms too late for its end`);
  });
}
