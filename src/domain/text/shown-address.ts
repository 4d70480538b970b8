/** Words that an address may have before it says more than where it leads. */
const MOST_WORDS = { part: 4, all: 16 };
const LONGEST = 300;

/**
 * What a model sees of the address behind the words of a link: where it leads, but no sentence that its path, query or
 * fragment may hold, since people see the words only (R-SAFE-6). Empty for what is no address.
 */
export function shownAddress(href: string): string {
  const plain = decodedAddress(href);
  if (/^[a-z][a-z0-9+.-]*:/i.test(plain) && !/^(?:https?:\/\/|mailto:[^?\s]+)/i.test(plain)) return "";
  if (/[\s<>()"'\\\p{Cc}]/u.test(plain.split(/[?#]/)[0]?.split("/").slice(0, 3).join("/") ?? "")) return "";
  const [, path = "", rest = ""] = /^([^?#]*)(.*)$/su.exec(plain) ?? [];
  const parts = path.split("/");
  const bad = parts.findIndex((part) => /[\s+<>()"'\\\p{Cc}]/u.test(part) || wordsIn(part) > MOST_WORDS.part);
  const kept = bad === -1 ? path : `${parts.slice(0, bad).join("/")}${bad > 0 ? "/" : ""}…`;
  const tail = bad === -1 && !/[\s+<>()"'\\\p{Cc}]/u.test(rest) && wordsIn(rest) <= MOST_WORDS.part ? rest : "";
  const shown = `${kept}${tail}`;
  return shown.length > LONGEST || wordsIn(shown) > MOST_WORDS.all ? originOf(plain) : shown;
}

/** How many words stand in it, also where nothing parts them but a capital. */
export function wordsIn(text: string): number {
  return text.match(/\p{Lu}?\p{Ll}{2,}|\p{Lu}{3,}|[\p{Lo}]{2,}/gu)?.length ?? 0;
}

function originOf(address: string): string {
  return `${/^https?:\/\/[^/?#]{1,200}/i.exec(address)?.[0] ?? ""}/…`;
}

function decodedAddress(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    // A per cent sign alone.
    return href;
  }
}
