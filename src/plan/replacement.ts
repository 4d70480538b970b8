const QUOTED = String.raw`(?:"([^"\n]{1,120})"|“([^”\n]{1,120})”|(?<![\p{L}\p{N}])'([^'\n]{1,120})'(?![\p{L}\p{N}])|‘([^’\n]{1,120})’|\x60([^\x60\n]{1,120})\x60|«([^»\n]{1,120})»|„([^“”\n]{1,120})[“”])`;
const GROUPS = 7;

/** What is there first, and what should be there second. */
const WRONG_THEN_RIGHT = new RegExp(
  String.raw`${QUOTED}\s*(?:,\s*)?(?:instead of(?! )|should (?:be|read|say)|must be|ought to be|->|=>|→|with|by|to|вместо(?! )|должно быть|на|sollte|debe ser|devrait être|deveria ser|应为|应该是|改为)\s*${QUOTED}`,
  "iu",
);
const HAS_INSTEAD = new RegExp(
  String.raw`(?:has|have|says?|reads?|contains?|is|shows?|написано|steht|dice|dit|diz)\s+${QUOTED}\s*,?\s*(?:instead of|rather than|but not|вместо|statt|en lugar de|en vez de|au lieu de|em vez de)\s+(?:the\s+)?${QUOTED}`,
  "iu",
);
const USE_INSTEAD = new RegExp(String.raw`(?:use|write|say)\s+${QUOTED}\s+instead of\s+${QUOTED}`, "iu");

/** A text that an issue wants replaced, where it says so in quotes: `'teh' instead of 'the'`. */
export function replacementIn(text: string): { wrong: string; right: string } | null {
  const read = text.slice(0, 20_000);
  const used = partsOf(USE_INSTEAD.exec(read));
  if (used !== null) return { wrong: used[1], right: used[0] };
  const found = partsOf(HAS_INSTEAD.exec(read)) ?? partsOf(WRONG_THEN_RIGHT.exec(read));
  return found === null ? null : { wrong: found[0], right: found[1] };
}

function partsOf(found: RegExpExecArray | null): [string, string] | null {
  const first = found?.slice(1, 1 + GROUPS).find((part) => part !== undefined);
  const second = found?.slice(1 + GROUPS).find((part) => part !== undefined);
  return first === undefined || second === undefined || first === second ? null : [first, second];
}
