/**
 * Letters and numbers of the scripts that issues are written in. Any case of the whole `\p{L}` takes V8 seven times as long
 * to compile, and phrases have hundreds of them.
 */
const CLASSES: Record<string, string> = {
  L: String.raw`a-zªµºà-öø-ʯͰ-ͳͶ-ͽͿΆΈ-ϵϷ-ҁҊ-Ֆՠ-ֈא-ײؠ-يٮ-ۓऄ-ॡঅ-\u1fffぁ-ヺー-ヿ㐀-鿿가-힣`,
  N: "0-9²³¹¼-¾٠-٩۰-۹०-९①-⓿０-９",
};
const CLASS = /\\p\{([LN])\}|\[(?:\\.|[^\]\\])*\]|\\./gsu;

/** An expression that takes no notice of case, in which `\p{L}` and `\p{N}` are compiled quickly. */
export function phrasePattern(source: string, flags = "iu"): RegExp {
  const quick = source.replaceAll(CLASS, (part: string, alone?: string) =>
    alone === undefined
      ? part.startsWith("[")
        ? part.replaceAll(/\\p\{([LN])\}/g, (_, name: string) => CLASSES[name] ?? "")
        : part
      : `[${CLASSES[alone]}]`,
  );
  return new RegExp(quick, flags);
}

/** Matches any of the phrases as whole words, with none of `letters` beside them, in any case; scripts without spaces match anywhere. */
export function anyOf(spaced: string, unspaced = "", letters = String.raw`\p{L}\p{N}_`): RegExp {
  const words = `(?<![${letters}])(?:${spaced})(?![${letters}])`;
  return phrasePattern(unspaced === "" ? words : `${words}|${unspaced}`);
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
  return phrasePattern(`^(?:${[...spaced, ...unspaced].join("|")})$`);
}
