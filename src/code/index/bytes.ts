/** Character classes of bytes; `BETWEEN` separates words. */
export const BETWEEN = 0;
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 3;
/** A byte of a non-ASCII letter. */
const OTHER = 4;
/** `_` and `$`, which separate the parts of an identifier. */
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

/** The byte in lower case; non-ASCII letters stay as they are. */
export function lowerAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
