import { RelayError } from "../lib/errors.ts";
import { looksLike } from "../lib/look-alikes.ts";
import { escapeHiddenCharacters, stripHiddenCharacters } from "./text/unseen.ts";

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
