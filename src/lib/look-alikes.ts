import unhomoglyph from "unhomoglyph";

/** Whether people may take one name for the other: letters of other scripts, accents, case, digits, what separates words. */
export function looksLike(one: string, other: string): boolean {
  return skeletonOf(one) === skeletonOf(other);
}

function plain(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "");
}

function skeletonOf(name: string): string {
  return [plain, unhomoglyph, plain]
    .reduce((text, change) => change(text), plain(name))
    .toLowerCase()
    .replaceAll(/[\W_]+/g, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("0", "o")
    .replaceAll(/[1i|]/g, "l")
    .replaceAll("5", "s")
    .replaceAll("3", "e")
    .replaceAll("4", "a");
}
