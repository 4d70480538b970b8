import { RelayError } from "../lib/errors.ts";
import { escapeHiddenCharacters, stripHiddenCharacters } from "./text/hidden-characters.ts";

const LONGEST_NAME = 60;
/** As trackers and operating systems have them; each letter with at most two marks. */
const NAME = /^[\p{L}\p{N}_](?:[\p{L}\p{N}._+@\\' -]|(?<!\p{M}{2})\p{M})*$/u;

/**
 * Checks the name under which somebody acts in the local tracker: one that people can read and nobody takes for Relay.
 * Throws `invalid`.
 */
export function requireName(name: string, bot: string): void {
  const isReadable = NAME.test(name) && !name.endsWith(" ") && stripHiddenCharacters(name) === name;
  if (!isReadable || Array.from(name).length > LONGEST_NAME) {
    const shown = escapeHiddenCharacters(Array.from(name).slice(0, LONGEST_NAME).join("")).replaceAll(/\s/g, " ");
    const rule = `a name has 1 to ${LONGEST_NAME} letters, digits, blanks and . _ - + @ ', and begins with a letter or digit`;
    throw new RelayError("invalid", `“${shown}” cannot be somebody's name: ${rule}`);
  }
  if (!looksLike(name, bot) && !looksLike(name, `${bot}bot`)) return;
  throw new RelayError("invalid", `“${name}” looks like Relay's own name (${bot}); take another one`);
}

/** Whether people may take one name for the other: letters of other scripts, accents, case, digits, what separates words. */
function looksLike(one: string, other: string): boolean {
  return skeletonOf(one) === skeletonOf(other);
}

/** Small letters and digits that look like a Latin letter, behind it; of scripts that have most of them. */
const LIKE = [
  "aа4α@",
  "bьв6",
  "cсϲ",
  "dԁժ",
  "eеё3єҽε",
  "gɡց",
  "hһհн",
  "jјϳ",
  "kкκҝ",
  "lі1і|!ιıiӏїҐ",
  "mм",
  "nпηոռ",
  "oо0οօσ",
  "pрρ",
  "qԛզ",
  "rгяɾ",
  "sѕ5",
  "tтτ7",
  "uυսцμ",
  "vνѵ",
  "wԝшѡω",
  "xхχ",
  "yуүγу",
  "zʐ2",
];
const LATIN = new Map(LIKE.flatMap(([latin = "", ...others]) => others.map((other) => [other, latin] as const)));

function skeletonOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return Array.from(plain, (letter) => LATIN.get(letter) ?? letter)
    .join("")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}
