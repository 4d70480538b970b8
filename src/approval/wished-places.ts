import type { ConversationMessage } from "../domain/conversation.ts";
import { hasMarkerOf } from "../domain/marker.ts";
import { type PlacesMeant, placesMeant } from "../domain/statements/places-meant.ts";
import { asksForChange } from "./wishes.ts";

/** A wish that came after the first plan, and the places that it names. */
export interface WishedPlaces extends PlacesMeant {
  seq: number;
}

/**
 * The wishes for another plan than the first one, oldest first, with the places that they add to it, spare or put in
 * another's place (R-CONF-9). A later wish for a spared place takes it back in. Empty before the first plan.
 */
export function wishedPlaces<M extends Pick<ConversationMessage, "seq" | "role" | "isBot" | "content">>(
  messages: readonly M[],
  decides: (message: M) => boolean,
): WishedPlaces[] {
  const first = messages.findIndex(({ role, content }) => role === "self" && hasMarkerOf("plan", content));
  if (first === -1) return [];
  const wishes = messages
    .slice(first + 1)
    .filter((one) => one.role !== "self" && !one.isBot && decides(one) && asksForChange(one.content))
    .map(({ seq, content }) => ({ seq, ...placesMeant(content) }));
  return wishes.map((wish, at) => {
    const later = wishes.slice(at + 1);
    const isIn = (name: string, key: "paths" | "spared") => later.some((one) => one[key].includes(name));
    return {
      ...wish,
      paths: wish.paths.filter((name) => !isIn(name, "spared")),
      spared: wish.spared.filter((name) => !isIn(name, "paths")),
    };
  });
}
