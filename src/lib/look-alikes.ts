/** Whether people may take one name for the other: letters of other scripts, accents, case, digits, what separates words. */
export function looksLike(one: string, other: string): boolean {
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
