/** Matches any of the phrases as whole words, in any case; scripts without spaces match anywhere. */
export function anyOf(spaced: string, unspaced = ""): RegExp {
  const words = String.raw`(?<![\p{L}\p{N}_])(?:${spaced})(?![\p{L}\p{N}_])`;
  return new RegExp(unspaced === "" ? words : `${words}|${unspaced}`, "iu");
}

/** Phrases of languages with and without spaces between words, one per line in the JSON files beside this one. */
interface Phrases {
  spaced: readonly string[];
  unspaced: readonly string[];
}

/** Matches any of the phrases as `anyOf` does. */
export function anyPhrase({ spaced, unspaced }: Phrases): RegExp {
  return anyOf(spaced.join("|"), unspaced.join("|"));
}

/** Matches a text that is one of the phrases from end to end. */
export function wholePhrase({ spaced, unspaced }: Phrases): RegExp {
  return new RegExp(`^(?:${[...spaced, ...unspaced].join("|")})$`, "iu");
}
