import type { Lag } from "../../support/lag.ts";

/** A hosted tracker with people in it, as a process of its own: what they do, what goes wrong, and what is there. */
export interface World {
  provider: "github" | "gitlab";
  /** The name that Relay has there. */
  bot: string;
  /** The one project that Relay works in. */
  project: string;
  /** What a Relay needs to work here. */
  env: Record<string, string>;
  /** What must be in no log. */
  secrets: string[];
  /** Numbers or ids of what is new. */
  act(deed: Deed): Promise<{ issue: number } | { comment: number } | null>;
  /** What becomes of the deliveries from now on; what was held before goes out, in this order. */
  deliveries(fate: Fate): Promise<void>;
  /** One of the next requests goes wrong, and so it does once more where others have before. */
  trouble(trouble: Trouble): Promise<void>;
  /** What of an issue, or of all without a rule of their own, is read late from now on. */
  lag(rule: Partial<Lag>): Promise<void>;
  /** Another of Relay's next comments in an issue goes wrong, and only there. */
  spoil(issue: number, kind: Trouble["kind"]): Promise<void>;
  /** Whatever is read of an issue takes so many milliseconds from now on. */
  slowReading(issue: number, ms: number): Promise<void>;
  /** The next delivery of something that happens in an issue comes so many milliseconds late. */
  late(what: Happening, issue: number, ms: number): Promise<void>;
  /** Delivers all that was delivered of it once more, under other ids. */
  replay(what: Happening, issue: number): Promise<void>;
  /** The requests that Relay made so far, with the time at which each came. */
  requests(): Promise<{ at: number; method: string; path: string }[]>;
  /** The next comment that Relay posts is never answered; it is there, or not. */
  silence(when: "before" | "after"): Promise<void>;
  /** Comments that were posted and not answered so far. */
  unanswered(): Promise<number>;
  /** Nothing goes wrong any more; what was not delivered stays so. */
  calm(): Promise<void>;
  /** When no delivery is under way. */
  settled(): Promise<void>;
  look(): Promise<SeenIssue[]>;
  /** How Relay did not keep to the tracker's description. */
  violations(): Promise<string[]>;
}

export type Deed =
  /** Who reports may not assign: Mia does. */
  | { do: "open"; as: string; title: string; body: string; assigned: boolean }
  | { do: "comment"; as: string; issue: number; body: string }
  | { do: "edit_comment"; as: string; issue: number; comment: number; body: string }
  | { do: "delete_comment"; as: string; issue: number; comment: number }
  | { do: "edit"; as: string; issue: number; body: string }
  | { do: "assign" | "unassign" | "close" | "reopen"; as: string; issue: number };

export const HAPPENINGS = ["closed", "reopened", "assigned", "unassigned", "commented"] as const;
export type Happening = (typeof HAPPENINGS)[number];

/** `late`: so are the next few. */
export const FATES = ["send", "hold", "reversed", "twice", "lose", "late"] as const;
export const LATE = { ms: 1_500, times: 5 };
export type Fate = (typeof FATES)[number];

export const TROUBLES = [
  "500",
  "502 with a page",
  "503",
  "429",
  "secondary limit",
  "cut before",
  "502 after",
  "slow",
  "cut after",
  "truncated",
  "late",
] as const;
export const PLACES = ["reading", "writing", "comments"] as const;
export interface Trouble {
  kind: (typeof TROUBLES)[number];
  /** Whether something is read, anything is changed, or a comment is posted. */
  at: (typeof PLACES)[number];
}

export interface SeenComment {
  id: string;
  author: string;
  body: string;
  /** When it was posted, in milliseconds. */
  at: number;
}

export interface SeenIssue {
  number: string;
  open: boolean;
  labels: string[];
  assignees: string[];
  comments: SeenComment[];
  /** Who reacted to what and how. */
  reactions: string[];
}

/** How long it takes what is slow to happen. */
export const SLOW_MS = 4_000;
/** So many are open at a time; each happens once, and again when another one comes. */
export const MOST_TROUBLES = 3;
/** Relay's account in both. */
export const BOT = "relay";
/** Ann reports, Mia may give the go-ahead, Guest may nothing. */
export const PEOPLE = ["ann", "mia", "guest"] as const;
