/** What a sentence says: what should become, what must not or stays, something about the fault, a choice. */
export type SentenceKind = "wish" | "bound" | "fact" | "decision";

/** What a person said about an issue that its spec must heed (R-PLAN-13). */
export interface Statement {
  kind: SentenceKind;
  /** One sentence in the author's words. */
  text: string;
  /** Position of its message; null for the issue's own text. */
  message: number | null;
  author: string;
  /** Its author decides here, or somebody who decides agreed to it. */
  decides: boolean;
  /** The message in which somebody who decides agreed to it. */
  agreedIn: number | null;
  /** The message in which its author took it back, or somebody who decides overruled it. */
  supersededBy: number | null;
}

/** Who says something, and where; the issue is its own author's first message, with position null. */
export type Source = Pick<Statement, "message" | "author" | "decides">;
export type Said = Pick<Statement, "kind" | "text">;

/** What a sentence may be about besides what it names. */
export interface Aim {
  /** Languages of the text. */
  languages: readonly string[];
  /** Sentences that stand quoted before it. */
  quoted: readonly string[];
  /** Whom it names. */
  login: string | null;
  /** The message that it answers, or that was written just before; null where Relay wrote last. */
  seq: number | null;
}

/** A message as it was read. */
export interface Heard {
  seq: number;
  author: string;
  /** The message that it answers; null for the issue itself. */
  answers: number | null;
  sentences: readonly string[];
}
