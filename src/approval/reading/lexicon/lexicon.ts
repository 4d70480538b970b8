/** The phrases of one language. A clause is judged only as a whole. */
export interface Lexicon {
  /** Says yes. */
  affirmative: RegExp;
  /** Says what to do: enough for a go-ahead even where nobody asked for one. */
  explicit: RegExp;
  /** Looks like a yes and is a shrug, or irony; not worth a go-ahead of its own. */
  doubtful: RegExp;
  /** Says nothing either way. */
  polite: RegExp;
  /** Says no, not yet, or stop. */
  negative: RegExp;
  /** Of those, what tells to stop or to wait, without more. */
  stop: RegExp;
  /** What may stand around a phrase without changing it. */
  fillers: { start: RegExp; end: RegExp };
}

/** Alternatives of regular expressions, as sources; `start` and `end` are fillers. */
type Phrases = Record<
  "affirmative" | "explicit" | "doubtful" | "polite" | "negative" | "stop" | "start" | "end",
  string
>;

/** For languages that put spaces between words. */
export function spaced(phrases: Phrases): Lexicon {
  return lexicon(phrases, " ");
}

/** For languages that do not. */
export function unspaced(phrases: Phrases): Lexicon {
  return lexicon(phrases, " ?");
}

/** Fillers go only where something else is left: alone they are phrases themselves. */
function lexicon({ start, end, ...phrases }: Phrases, space: string): Lexicon {
  return {
    affirmative: whole(phrases.affirmative),
    explicit: whole(phrases.explicit),
    doubtful: whole(phrases.doubtful),
    polite: whole(phrases.polite),
    negative: whole(`${phrases.negative}|${phrases.stop}`),
    stop: whole(phrases.stop),
    fillers: {
      start: new RegExp(`^(?:${start})${space}(?=.)`, "u"),
      end: new RegExp(`(?<=.)${space}(?:${end})$`, "u"),
    },
  };
}

function whole(source: string): RegExp {
  // Replies come in this form; it changes single Korean letters.
  return new RegExp(`^(?:${source.normalize("NFKC")})$`, "u");
}
