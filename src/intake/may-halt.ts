import { refusalIn } from "../approval/read-reply.ts";
import type { TrackerEvent } from "../domain/event.ts";
import { carriesMarker } from "../domain/marker.ts";

/** Whether an event may end or stop what Relay does, so that nothing is said before it is processed (R-LIFE-10). Pure. */
export function mayHalt({ kind, text, actorIsBot }: Pick<TrackerEvent, "kind" | "text" | "actorIsBot">): boolean {
  if (kind === "closed" || kind === "unassigned") return true;
  if (kind !== "commented" && kind !== "comment_edited") return false;
  return !actorIsBot && text !== null && !carriesMarker(text) && refusalIn(text) !== null;
}
