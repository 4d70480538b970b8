/** A hosted tracker with people in it, as a process of its own: what they do, what goes wrong, and what is there. */
export interface World {
  provider: "github" | "gitlab";
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
  /** The next comment that Relay posts is never answered; it is there, or not. */
  silence(when: "before" | "after"): Promise<void>;
  /** Comments that were posted and not answered so far. */
  unanswered(): Promise<number>;
  /** Nothing goes wrong any more; what was not delivered stays so. */
  calm(): Promise<void>;
  look(): Promise<SeenIssue[]>;
  /** How Relay did not keep to the tracker's description. */
  violations(): Promise<string[]>;
}

export type Deed =
  | { do: "open"; as: string; title: string; body: string; assigned: boolean }
  | { do: "comment"; as: string; issue: number; body: string }
  | { do: "edit_comment"; as: string; issue: number; comment: number; body: string }
  | { do: "delete_comment"; as: string; issue: number; comment: number }
  | { do: "edit"; as: string; issue: number; body: string }
  | { do: "assign" | "unassign" | "close" | "reopen"; as: string; issue: number };

export const FATES = ["send", "hold", "reversed", "twice", "lose"] as const;
export type Fate = (typeof FATES)[number];

export const TROUBLES = [
  "500",
  "502 with a page",
  "503",
  "429",
  "secondary limit",
  "cut before",
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

/** So many are open at a time; each happens once, and again when another one comes. */
export const MOST_TROUBLES = 3;
/** Relay's account in both. */
export const BOT = "relay";
/** Ann reports, Mia may give the go-ahead, Guest may nothing. */
export const PEOPLE = ["ann", "mia", "guest"] as const;
