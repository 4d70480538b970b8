/** Matches any of the phrases as whole words, in any case; scripts without spaces match anywhere. */
export function anyOf(spaced: string, unspaced = ""): RegExp {
  const words = String.raw`(?<![\p{L}\p{N}_])(?:${spaced})(?![\p{L}\p{N}_])`;
  return new RegExp(unspaced === "" ? words : `${words}|${unspaced}`, "iu");
}

/** Matches a text that is one of the phrases from end to end. */
export function wholly(spaced: string, unspaced: string): RegExp {
  return new RegExp(`^(?:${spaced}|${unspaced})$`, "iu");
}
