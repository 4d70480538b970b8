/** Words of values that nobody keeps secret. */
const MADE_UP =
  /test|example|sample|dummy|fake|mock|foo|bar|baz|qux|secret|passw(?:or)?d|pass|token|admin|user|change|replace|insert|your|my|some|this|that|any|abc|xyz|qwerty|asdf|placeholder|default|hello|world|redacted|removed|hidden|none|null|undefined|true|false|string|value|random|demo|local|host|public|private|key|api|auth|client|server|bearer|basic|valid|invalid|wrong|correct|right|old|new|first|second|long|short|the|here|sha|md5|base|utf|hmac|aes|rsa|hs|todo|config|setting|login|name|email|root|guest|dev|prod|stag/gi;

/** Whether a value is one that examples use: known words, digits in order and signs, with hardly anything beside them. */
export function isMadeUp(value: string): boolean {
  const plain = value.slice(0, 200);
  const rest = plain.replaceAll(MADE_UP, "").replaceAll(/0?1234?5?6?7?8?9?0?|[^A-Za-z0-9]/g, "");
  const signs = new Set(plain);
  return rest.length < 3 || rest.length * 3 < plain.length || signs.size < 4;
}

/** Bits by sign of a text. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Whether a text looks drawn at random, as generated keys are: letters and digits mixed, hardly any sign twice. */
export function isRandom(text: string): boolean {
  const plain = text.slice(0, 300);
  if (!/\d/.test(plain) || !/[A-Za-z]/.test(plain))
    return changesCase(plain) && plain.length >= 16 && entropyOf(plain) >= 3;
  // `my-token-2`, `v1.2.3-beta`, `user_2_token`: words with a number.
  const words = plain.split(/[^A-Za-z0-9]+/).filter((word) => !/^(?:[A-Za-z]+|\d+|v\d+)$/.test(word));
  const changes = plain.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return (
    words.length > 0 &&
    (changes >= 2 || changesCase(plain.replaceAll(/\d/g, ""))) &&
    entropyOf(plain) >= (plain.length < 16 ? 2.5 : 3)
  );
}

/** Whether it is letters that change their case more often than words and names of code do: `gTqKzLwXpR`. */
export function changesCase(text: string): boolean {
  if (!/^[A-Za-z]{10,200}$/.test(text)) return false;
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
  if (words.length >= 5 && text.length / words.length < 2.9) return true;
  // No language has so many consonants in a row.
  return text.length >= 16 && words.length >= 4 && /[b-df-hj-np-tv-xz]{7}/i.test(text);
}

/** Whether it is what docs write for a password: `user:pass@`. */
export function isPlaceholder(text: string): boolean {
  return (
    /^(?:your\W?|my\W?|the\W?|some\W?)?(?:pass(?:w(?:or)?d)?|pwd|secret|token|changeme|change\W?me|foobar|example|guest|user(?:name)?|pass%20word|x{2,}|\*+|\.+|…)$/i.test(
      text,
    ) || /^(?:\$|%[^0-9A-F]|<|\{|\[|&lt;)/i.test(text)
  );
}

/** What stands for a value: a variable, a reference, a path, signs that hide it. */
export const PLACEHOLDER =
  /^(?:[$%{<@#&]|!(?:vault|ref|sub|secret|env|getatt|import)|\*+|\.+|x+$|process\.|os\.|env\.|secrets?\.|vars?\.|vault:|ref:|file:|arn:|https?:\/\/|\.{0,2}\/)|\$\{|\{\{|<[a-z][\w -]*>|\*{3}|\.{3}|…/i;

/** Whether it has three kinds of signs, as passwords have and words do not. */
export function isMixed(value: string): boolean {
  const plain = value.replace(/[.,;:!?)\]*]+$/, "");
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s./:()-]/, /-/].filter((kind) => kind.test(plain)).length;
  if (plain.length < 8 || kinds < 3 || !/\d/.test(plain) || /^[\w-]+(?:\.[\w-]+)+/.test(plain) || /[([{]/.test(plain))
    return false;
  // `SHA-256`, `RFC-7519`, `2026-11-23T10:00`.
  if (/^[A-Z]{1,6}-?\d{1,5}[A-Z]{0,2}$|^\d+-\d+/.test(plain)) return false;
  return !PLACEHOLDER.test(plain) && !isMadeUp(plain) && !/^(?:https?|\/|\.)/.test(plain);
}
