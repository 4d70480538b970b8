import { isMadeUp, isMixed, isRandom } from "./credible.ts";

/** What is given a key or a password as a literal: clients, ciphers, signatures, logins (R-SAFE-7). */
const CALLED_WITH_KEY =
  /\b(?:new\s{1,3}[A-Z]\w{0,40}|(?:[A-Za-z_]\w{0,30}\.){0,3}(?:\w{0,30}(?:[Cc]lient|Fernet|Cipher\w{0,8}|Credentials?)|twilio|algoliasearch|create(?:Hmac|(?:De)?[Cc]ipheriv)|hmac\.new|jwt\.\w{1,10}|(?:bearer|basic|token)_?[Aa]uth|[Ll]ogin|set\w{0,20}(?:Key|Token|Secret|Password)))\(/g;
const AUTH_PAIR = /\bauth\s{0,2}=\s{0,2}\(/g;
/** In signs, of the arguments that are looked at. */
const LONGEST_CALL = 400;
const LITERAL = /(["'`])(?<value>[^"'`\s]{8,200})\1/g;
/** What such names are given is no key. */
const OF_NAMES =
  /(?:Id|ID|UUID|Uuid|Hash|Digest|Sha|Commit|Buffer|RegExp|Date|Error|URL|Url|Blob|Request|Response|Color|Path)\($/;
const COMMANDS = [
  /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["'](?<value>[^"'\n]{6,200})["']/gi,
  /-pass(?:in|out)?\s{1,3}pass:(?<value>[^\s"']{6,200})/g,
  /\bsecret\s{1,3}set\s{1,3}\w{1,60}\s{1,3}(?:--body|-b)[ =]["']?(?<value>[^\s"']{6,400})/g,
  /\b(?:login|credentials?|zugang)\s{0,3}[:=]\s{0,3}[\w.@-]{1,60}\s{0,3}[/|:]\s{0,3}(?<value>[^\s/|"'`]{8,100})/gi,
];
const APP_PASSWORD = /\bapp[ -]password["'`]?\s{0,3}(?:is|:|=)\s{0,3}["'`]?(?<value>(?:[a-z]{4}[ -]){3}[a-z]{4})\b/gi;
const SHOUTED =
  /(?<![\w$])[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)[ \t]{1,3}(?<value>[\w+/=~.-]{16,200})(?![\w(])/g;
const MANIFEST =
  /\bkind:\s{0,3}Secret\b[\s\S]{0,600}?\n(?:data|stringData):(?<entries>(?:\r?\n[ \t]{1,12}[^\n]{1,500}){1,40})/g;
const ENTRY = /^[ \t]{1,12}[\w.-]{1,80}:[ \t]{1,5}["']?(?<value>[^\s"'#]{8,400})/gm;

interface Place {
  start: number;
  end: number;
}

/** Where literals stand that a call or a command takes as a key or a password, and the values of a manifest of secrets. */
export function givenSecrets(text: string): Place[] {
  const keys = [CALLED_WITH_KEY, AUTH_PAIR].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ 0: callee, index }) => {
      if (OF_NAMES.test(callee)) return [];
      const start = index + callee.length;
      const given = text.slice(start, start + LONGEST_CALL);
      const isPlain = callee.startsWith("new");
      return placesOf(given.slice(0, endOf(given)), LITERAL, (value) => isKey(value, isPlain), start);
    }),
  );
  const commands = COMMANDS.flatMap((pattern) =>
    placesOf(text, pattern, (value) => isMixed(value) && !isMadeUp(value)),
  );
  const entries = [...text.matchAll(MANIFEST)].flatMap(({ 0: whole, index, groups }) => {
    const given = groups?.["entries"] ?? "";
    return placesOf(given, ENTRY, isSecretEntry, index + whole.length - given.length);
  });
  const shouted = placesOf(text, SHOUTED, (value) => isRandom(value) && !isMadeUp(value));
  return [...keys, ...commands, ...entries, ...shouted, ...placesOf(text, APP_PASSWORD, () => true)];
}

/** Where the call ends that these are the arguments of. */
function endOf(given: string): number {
  let depth = 1;
  for (const { 0: sign, index } of given.matchAll(/[()\n]/g)) {
    if (sign === "\n") return index;
    depth += sign === "(" ? 1 : -1;
    if (depth === 0) return index;
  }
  return given.length;
}

/** `isPlain`: of a name that says nothing of keys, so that ids and hashes may stand there. */
function isKey(value: string, isPlain: boolean): boolean {
  if (value.length < 12 || isMadeUp(value) || !/^[\w+/=.~!#$%^&*-]+$/.test(value) || /^[./]|\.[a-z]{1,4}$/.test(value))
    return false;
  if (!isRandom(value)) return false;
  return (
    !isPlain ||
    (value.length >= 20 && /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value) && !/[/.]/.test(value))
  );
}

function isSecretEntry(value: string): boolean {
  const plain = /^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) ? Buffer.from(value, "base64").toString("latin1") : value;
  return !/^[{$<]/.test(value) && !isMadeUp(value) && !isMadeUp(plain);
}

function placesOf(text: string, pattern: RegExp, fits: (value: string) => boolean, offset = 0): Place[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, index, groups }) => {
    const value = groups?.["value"] ?? "";
    const start = offset + index + whole.lastIndexOf(value);
    return fits(value) ? [{ start, end: start + value.length }] : [];
  });
}
