import phrases from "./aspect-phrases.json" with { type: "json" };
import { anyOf, anyPhrase, wholePhrase } from "./phrases.ts";

/** Strong words first: a sentence that names its expectation is clearer than one that says "should". */
export const EXPECTS = anyPhrase(phrases.expects);
export const SHOULD = anyPhrase(phrases.should);
/** A "should" of politeness or doubt does not describe the program. */
export const POLITE = anyPhrase(phrases.polite);
/** The actual behavior instead of the intended one. */
export const HAPPENS = anyPhrase(phrases.happens);
export const REPRODUCES = anyPhrase(phrases.reproduces);
export const BOUNDS = anyPhrase(phrases.bounds);
export const COMPATIBLE = anyPhrase(phrases.compatible);
/** What there is must go on working. */
export const KEEPS_EXISTING = anyPhrase(phrases.keepsExisting);
/** “…, but that is not the case” tells nothing of what is. */
export const DENIES_ONLY = wholePhrase(phrases.deniesOnly);
export const NOT_NEEDED = anyPhrase(phrases.notNeeded);
/** Failures named as such, not only a "not". */
export const FAILS = anyPhrase(phrases.fails);
/** About the writer, not about the program. */
export const ASIDE_REMARK = anyPhrase(phrases.asideRemark);
export const ASKED_TO_REPRODUCE = anyPhrase(phrases.askedToReproduce);
export const INSTEAD = anyOf(
  "instead of|вместо|statt(?:dessen)?|anstelle|en (?:lugar|vez) de|au lieu de|em vez de|ao invés de",
);
export const WOULD_EXPECT = anyOf("ought to|(?:would|['’]d) (?:have )?expect(?:ed)?");
export const PLAYGROUND =
  /(?:codesandbox\.io|stackblitz\.com|jsfiddle\.net|codepen\.io|jsbin\.com|\/repl\b|\/playground|play\.|replit\.com|plnkr\.co|godbolt\.org|gist\.github\.com|rubular|regex101|repro|reproduction|minimal|-bug)/i;
export const BUT =
  /(?:[,;，、]\s*|(?<!\s)\s+)(?:but|however|instead(?! of)|yet|and instead|но|а вместо этого|однако|aber|jedoch|stattdessen|pero|sin embargo|mais|cependant|mas|porém)(?=[\s,])|[，、,]?(?:但是?|却|しかし)|(?:のに|ですが|だが)[、,]?/iu;
/** “It returns 1, expected 2”. */
export const EXPECTED_BESIDE =
  /[,;，、–—]\s*(?:and |but |while |und |aber |y |pero |et |mais |e |mas |а |но )?(?=(?:i |we )?expect(?:ed|ing)?(?!\p{L})|(?:ich |wir )?erwartet|ожида|(?:se )?esper(?:ad[oa]|aba|ava)|(?:on )?attend|期望|预期|期待)/iu;
/** Goes on with what was expected of the same thing. */
export const IT_SHOULD =
  /^(?:(?:it|they|that|this|es|das|il|elle|это|он\p{L}?) )?(?:should|shall|must|ought to|sollte|müsste|debería|devrait|deveria|должн\p{L}+)(?!\p{L})|^(?:应该?|应当)/iu;
