import type { ConversationMessage } from "../domain/conversation.ts";
import { proseSentences } from "../domain/issue-text/prose-sentences.ts";
import { type IssueText, readIssue } from "../domain/issue-text/issue-reading.ts";
import { type Section, sectionsOfComment } from "../domain/issue-text/sections.ts";
import type { SectionTopic } from "../domain/issue-text/section-titles.ts";
import { hasMarkerOf } from "../domain/marker.ts";
import { withoutFreed } from "../domain/statements/file-names.ts";
import { placesLeftOut } from "../domain/statements/left-out.ts";
import { type PlacesMeant, placesMeant } from "../domain/statements/places-meant.ts";
import { sentencesIn } from "../domain/statements/sentences-said.ts";
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

/** A file or folder that somebody asked not to touch, and the message; null for the issue's own text. */
export interface ForbiddenPlace {
  /** Without what was set free since: `src/time/!(zone.js)`. */
  name: string;
  /** As the order names it. */
  ordered: string;
  seq: number | null;
  /** The item that leaves it out, as displayed; null for an order not to touch it. */
  item: string | null;
}

/** How orders not to touch something limit the work. */
export interface Forbidden {
  places: ForbiddenPlace[];
  /** Places that were forbidden and are free again as a whole. */
  lifted: Pick<ForbiddenPlace, "ordered" | "seq">[];
  /** Files where they say to put the work instead. */
  put: string[];
}

/** Sections that tell what somebody did, or what a program said. */
const TOLD = new Set<SectionTopic | null>([
  "reproduction",
  "actual",
  "environment",
  "checklist",
  "logs",
  "alternatives",
]);

/**
 * What the issue's own text and its thread forbid to change, at any time (R-CONF-9). The reporter and people who decide
 * have a say; a later wish of theirs for such a place takes it back in, and so does what they allow to change. A file of a
 * forbidden folder is free alone: the others are not.
 */
export function forbiddenPlaces<M extends Pick<ConversationMessage, "seq" | "role" | "isBot" | "content">>(
  issue: Pick<IssueText, "title" | "body">,
  messages: readonly M[],
  decides: (message: M) => boolean,
): Forbidden {
  const heard = messages.filter(
    (one) => one.role !== "self" && !one.isBot && (one.role === "reporter" || decides(one)),
  );
  const orders = [
    { seq: null, ...ordersIn(issue), isWish: false },
    ...heard.map(({ seq, content }) => ({
      seq,
      meant: placesMeant(content),
      leftOut: leftOutOf("", sectionsOfComment(content)),
      isWish: asksForChange(content),
    })),
  ];
  const read = orders.flatMap(({ seq, meant, leftOut }, at) => {
    const later = orders.slice(at + 1);
    const freed = [
      ...meant.freed,
      ...later.flatMap((one) => [...one.meant.freed, ...(one.isWish ? one.meant.paths : [])]),
    ];
    const ordered = meant.forbidden.map((name) => ({ name, item: null }));
    const listed = leftOut.filter(({ name }) => !meant.forbidden.includes(name));
    return [...ordered, ...listed].map(({ name, item }) => ({
      name: withoutFreed(name, freed),
      ordered: name,
      seq,
      item,
    }));
  });
  return {
    places: read.flatMap(({ name, ...one }) => (name === null ? [] : [{ ...one, name }])),
    lifted: read.filter(({ name }) => name === null),
    put: orders.flatMap(({ meant }) => (meant.forbidden.length > 0 ? meant.put : [])),
  };
}

type LeftOut = Pick<ForbiddenPlace, "name"> & { item: string };

function ordersIn({ title, body }: Pick<IssueText, "title" | "body">): { meant: PlacesMeant; leftOut: LeftOut[] } {
  const { sections } = readIssue({ title, body, labels: [] });
  const told = sections.filter(({ topic }) => !TOLD.has(topic)).flatMap(({ blocks }) => blocks);
  const prose = proseSentences(told).map(({ text }) => text);
  return { meant: placesMeant(prose.join("\n")), leftOut: leftOutOf(title, sections) };
}

/** What a text names under “Out of scope”, unless it is known from elsewhere. */
function leftOutOf(title: string, sections: readonly Section[]): LeftOut[] {
  const out = sections.filter(({ topic }) => topic === "left_out");
  const others = sections.filter((section) => !out.includes(section));
  if (out.length === 0) return [];
  const rest = [title, ...others.map(({ text }) => text)].join("\n");
  // A file goes by its last name too.
  const isKnown = (name: string) => rest.includes(/[^/]+$/.exec(name)?.[0] ?? name);
  return out
    .flatMap(({ blocks }) => sentencesIn(blocks))
    .flatMap((item) => placesLeftOut(item, isKnown).map((name) => ({ name, item })));
}
