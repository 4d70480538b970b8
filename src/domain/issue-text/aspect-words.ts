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
/** Opens with an order of what not to do: it tells nothing of what happens. */
export const PROHIBITS = new RegExp(
  String.raw`^(?:(?:please|but|and|also|just|bitte|por favor|merci de|veuillez|пожалуйста|请)[,，]? *)*(?:${phrases.prohibits.join("|")})(?![\p{Ll}])`,
  "iu",
);
/** Tells of what is not so: what would be, what used to be fine, what nobody wants, or that it is no bug. */
export const UNREAL = anyPhrase(phrases.unreal);
/** A command or an expression and, right behind it, what comes out. */
export const COMMAND_TELLS = new RegExp(
  String.raw`\x60[^\x60\n]*\S\s+\S[^\x60\n]*\x60,?\s*(?:\p{L}+ ){0,2}?(?:${phrases.comesOut.join("|")})`,
  "iu",
);
export const ASKED_TO_REPRODUCE = anyPhrase(phrases.askedToReproduce);
export const WOULD_EXPECT = anyOf("ought to|(?:would|['’]d) (?:have )?expect(?:ed)?");
export const PLAYGROUND =
  /(?:codesandbox\.io|stackblitz\.com|jsfiddle\.net|codepen\.io|jsbin\.com|\/repl\b|\/playground|play\.|replit\.com|plnkr\.co|godbolt\.org|gist\.github\.com|rubular|regex101|repro|reproduction|minimal|-bug)/i;

/** Quoted messages contain "must" too. */
export function withoutCode(text: string): string {
  return text.replaceAll(/`[^`]*`|"[^"]*"|“[^”]*”/g, "…");
}
