/** What kind of character a byte is; `BETWEEN` stands between words. */
export const BETWEEN = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
/** A byte of a letter outside ASCII. */
export const OTHER = 4;
/** `_` and `$`: inside a word, between its parts. */
export const SEAM = 5;

export const NEWLINE = 10;

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 97 && byte <= 122) return LOWER;
  if (byte >= 65 && byte <= 90) return UPPER;
  if (byte >= 48 && byte <= 57) return DIGIT;
  if (byte >= 128) return OTHER;
  return byte === 95 || byte === 36 ? SEAM : BETWEEN;
});

export function kindAt(bytes: Uint8Array, at: number): number {
  return KINDS[bytes[at] ?? 0] ?? BETWEEN;
}

/** The byte as a lower-case letter; letters outside ASCII stay as they are. */
export function lowerAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
