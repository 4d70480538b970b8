import type { Rng } from "./rng.ts";
import { type Deed, type World, PEOPLE } from "./world.ts";

const TITLES = ["Wrong total in the cart", "Export ends in an error", "A reminder for unpaid invoices"] as const;
const BODIES = [
  "The total is wrong.",
  "When I export an invoice, it says `RangeError: Invalid time value`.\n\nExpected: a PDF. Version 2.1, on Linux.",
  "It would be good to get one a week before.",
] as const;
const ANSWER = "I put two books in the cart and open it. The total shows 0, I expect 30.";
const ANSWERS = [1, 2, 3, 4].map((number) => `${number}. ${ANSWER}`).join("\n");
const WORDS = [
  "It happens on every order with two items or more.",
  "I expected 12, and it says 0.",
  "Since version 2.1, on Linux.",
  "Thanks!",
  "@relay what do you need to know?",
  "go ahead",
  "@relay yes, please go ahead",
  "Looks good to me, go ahead.",
] as const;

interface KnownIssue {
  issue: number;
  comments: { comment: number; as: string }[];
  open: boolean;
  assigned: boolean;
  /** Nobody does anything in it until so much was done elsewhere. */
  restsFor: number;
}

/** From when until when an issue was closed, in milliseconds. */
export interface Closing {
  issue: number;
  from: number;
  until: number;
}

/** So much is done elsewhere before anybody turns to an issue that was closed, so that Relay's silence shows. */
const REST = 50;

export interface People {
  /** Does one thing, and tells what it was. */
  act(): Promise<string>;
  /** Guest says something in every open issue, so that a thread which only lost a comment is looked at, too. */
  last(): Promise<void>;
  /** Mia says this in every open issue of Relay's; returns which these are. */
  agree(words: string): Promise<number[]>;
  closings: readonly Closing[];
}

/** People who do this and that in a tracker, drawn from the seed. */
export function peopleOf(world: World, rng: Rng, most: number): People {
  const issues: KnownIssue[] = [];
  const closings: Closing[] = [];

  const next = (): Deed => {
    const as = rng.pick(PEOPLE);
    for (const one of issues) one.restsFor -= 1;
    const known = rng.any(issues.filter(({ restsFor }) => restsFor <= 0));
    if (!known || (issues.length < most && rng.odds(0.25))) {
      const assigned = rng.odds(0.8);
      return { do: "open", as: "ann", title: rng.pick(TITLES), body: rng.pick(BODIES), assigned };
    }
    const { issue } = known;
    const own = rng.any(known.comments);
    if (!known.open && rng.odds(0.6)) return { do: "reopen", as: "mia", issue };
    if (!known.assigned && rng.odds(0.5)) return { do: "assign", as: "mia", issue };
    const roll = rng.roll();
    // Who answers and lets it go on keeps Relay talking.
    if (roll > 0.6) return { do: "comment", as: "ann", issue, body: ANSWERS };
    if (roll > 0.5) return { do: "comment", as: "mia", issue, body: "go ahead with the spec" };
    if (roll < 0.05) return { do: known.open ? "close" : "reopen", as: "mia", issue };
    if (roll < 0.09) return { do: known.assigned ? "unassign" : "assign", as: "mia", issue };
    if (roll < 0.16) return { do: "edit", as: "ann", issue, body: `${rng.pick(BODIES)}\n\n${rng.pick(WORDS)}` };
    if (own && roll < 0.26) {
      return { do: "edit_comment", as: own.as, issue, comment: own.comment, body: rng.pick(WORDS) };
    }
    if (own && roll < 0.34) return { do: "delete_comment", as: own.as, issue, comment: own.comment };
    return { do: "comment", as, issue, body: rng.pick(WORDS) };
  };

  const remember = (deed: Deed, begun: number, made: Awaited<ReturnType<World["act"]>>) => {
    if (deed.do === "open") {
      if (made && "issue" in made) {
        issues.push({ ...made, comments: [], open: true, assigned: deed.assigned, restsFor: 0 });
      }
      return;
    }
    const known = issues.find(({ issue }) => issue === deed.issue);
    if (!known) return;
    if (deed.do === "comment" && made && "comment" in made) known.comments.push({ ...made, as: deed.as });
    if (deed.do === "delete_comment") {
      known.comments = known.comments.filter(({ comment }) => comment !== deed.comment);
    }
    if (deed.do === "close") {
      closings.push({ issue: deed.issue, from: begun, until: Infinity });
      known.restsFor = rng.odds(0.5) ? REST : 0;
    }
    if (deed.do === "close" || deed.do === "reopen") known.open = deed.do === "reopen";
    if (deed.do === "assign" || deed.do === "unassign") known.assigned = deed.do === "assign";
  };

  return {
    closings,
    act: async () => {
      const deed = next();
      // Before it is done: Relay may hear of it before this does.
      const begun = Date.now();
      const closing = deed.do === "reopen" ? closings.findLast(({ issue }) => issue === deed.issue) : undefined;
      if (closing) closing.until = Math.min(closing.until, begun);
      remember(deed, begun, await world.act(deed));
      return `${world.provider} ${deed.do}`;
    },
    last: async () => {
      for (const { issue, open } of issues) {
        if (open) await world.act({ do: "comment", as: "guest", issue, body: "I have the same." });
      }
    },
    agree: async (body) => {
      const agreed = issues.filter(({ open, assigned }) => open && assigned).map(({ issue }) => issue);
      for (const issue of agreed) await world.act({ do: "comment", as: "mia", issue, body });
      return agreed;
    },
  };
}
