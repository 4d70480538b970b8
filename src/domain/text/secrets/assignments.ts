import { givenSecrets } from "./calls.ts";
import { PLACEHOLDER, changesCase, isMadeUp, isMixed, isRandom } from "./credible.ts";

const IN_OTHER_LANGUAGES =
  "passwort|kennwort|zugangscode|mot de passe|contrase[ñn]a|clave|senha|пароль|パスワード|暗証番号|密[码碼]|口令|비밀번호";
/** What a secret is called, at the end of a name or before an ending of it. */
const NAMES = `${IN_OTHER_LANGUAGES}|pass(?:word|wd|phrase|code|key)?|pw|pwd|psk|pat|_?auth|secrets?|tokens?|credentials?|creds|bearer|jwt|dsn|salt|cookie|session[_-]?id|community[_-]?string|seed|(?:api|access|private|secret|auth|write|ingest|encryption|signing|master|shared|storage|account|session|license|webhook|admin|deploy|service|client|crypt\\w{0,6}|hmac|jwt|cookie|app|host|primary|secondary|subscription|functions?)[_. -]?keys?`;
/** After a name: not the secret but something about it. */
const ABOUT =
  /^[_. -]?(?:name|id|path|file|dir|folder|ur[il]|uri|type|kind|field|length|len|size|min|max|hash|digest|count|limit|expir|ttl|age|policy|ref|header|prefix|suffix|label|hint|placeholder|pattern|regex|error|message|param|required|reset|input|version|algorithm|method|store|manager|provider|endpoint|format|arn|env|var|is|has|key_?name|usage|budget|scope|index|position|start|end|kind|class|list|map|data|text|s?_?(?:in|out|used|per))/i;

/**
 * A value assigned to a name: `DB_PASSWORD=…`, `"password": "…"`, `password => '…'`, `<password>…</password>`,
 * `--password …`, `setenv("TOKEN", "…")`. Bounded everywhere, so linear.
 */
const ASSIGNED = new RegExp(
  [
    `(?<name>${NAMES})(?<more>[\\w.-]{0,24})`,
    `(?<mark>\\\\?["'\`]?\\]?\\s{0,8}(?:=>|:=|===?|\\?=|=|:|：)\\s{0,8}|["'\`]\\s{0,3},\\s{0,12}|>|[ \\t]{1,3}(?=["']?[^\\s=:]))`,
    `(?:\\\\?(?<quote>["'\`])(?<quoted>[^"'\`\\n\\r]{4,200}?)\\\\?["'\`]|(?<bare>(?:(?!&lt;)[^\\s"'\`,;(){}<>\\[\\]]){4,300}))`,
  ].join(""),
  "gi",
);

/** A value beside the name, each with a word of its own: `key="ApiKey" value="…"`, `- name: DB_PASSWORD` and `value: …`. */
const BESIDE = new RegExp(
  `\\b(?:name|key)["']?\\s?[=:]\\s?["']?[\\w.-]{0,40}?(?<name>${NAMES})(?<more>[\\w.-]{0,24})["']?,?\\s{1,40}["']?value["']?\\s?[=:]\\s?["']?(?<value>[^\\s"'<>{}]{4,300})`,
  "gi",
);
/** A value on the line below its name, as blocks of YAML have it: `token: |`. */
const BELOW = new RegExp(
  `(?<name>${NAMES})(?<more>[\\w.-]{0,24})["']?:\\s{1,3}[|>][+-]?\\d?[ \\t]{0,5}\\r?\\n[ \\t]{1,40}(?<value>[^\\s"'<>{}:]{8,300})[ \\t]{0,5}$`,
  "gim",
);
const OF_COMMANDS = [
  /\b(?:WITH PASSWORD|PASSWORD|IDENTIFIED (?:WITH \w{1,40} )?BY)\s{1,5}'(?<value>[^'\n[\]]{4,200})'/gi,
  /^\s{0,20}(?:requirepass|masterauth)[ \t]{1,5}["']?(?<value>[^\s"'[\]]{4,200})/gim,
  /\bsshpass[ \t]{1,5}-p[ \t]{0,5}["']?(?<value>[^\s"'[\]]{4,200})/g,
  /\b(?:login|machine)\s{1,5}\S{1,200}\s{1,5}password\s{1,5}(?<value>[^\s"'[\]]{4,200})/g,
  /^\s{0,20}(?:bindpw|rootpw|olcRootPW:|enable (?:secret|password)(?: \d)?|snmp-server community|password)[ \t]{1,5}["']?(?<value>[^\s"'[\]]{6,200})["']?[ \t]{0,5}$/gim,
  /^[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?<value>[^\s:[\]]{4,200})$/gm,
];
/** What a secret is called in prose and in tables. */
const CALLED = "pass(?:word|wd|phrase|code)|pwd|secret|token|(?:api|access|secret|private)[ _-]?key|credentials?";
/** Values that stand beside a name without being assigned: those of many kinds of signs are no words. */
const SAID = [
  new RegExp(
    `(?:\\b(?:${CALLED})|${IN_OTHER_LANGUAGES})["'*\`]{0,3}(?:\\s{1,3}(?:is|was|are|to|as|of|für|ist|lautet|war|est|es|è|é)(?!\\p{L})|\\s{0,3}[:=→])\\s{0,3}[\`"'“«*]{0,3}(?<value>[^\\s\`"'“”«»|<>]{8,200})`,
    "giu",
  ),
  new RegExp(
    `(?:${CALLED})[\\w.-]{0,20}[\`*]{0,3}\\s{0,30}\\|\\s{0,30}[\`"']?(?<value>[^\\s\`"'|]{8,200})[\`"']?\\s{0,30}(?:\\||$)`,
    "gim",
  ),
  new RegExp(
    `variable\\s{1,5}"[\\w-]{0,40}(?:${CALLED})[\\w-]{0,20}"\\s{0,5}\\{[^{}]{0,300}?default\\s{0,20}=\\s{0,5}"(?<value>[^"\\n]{6,200})"`,
    "gi",
  ),
];
/** Beside a name, drawn at random: `token 5f3c…`. */
const SAID_AT_RANDOM = new RegExp(
  `\\b(?:${CALLED})(?:\\s{1,3}key)?\\s{1,3}(?<value>[a-f0-9]{32,128}\\b|[A-Za-z0-9+/]{32,128}={0,2})`,
  "gi",
);
/** The value of an option that is called a key: `--key …`, `-Dkey=…`. */
const KEY_OPTION = /(?<=\s--?)[\w-]{0,30}key[ =]["']?(?<value>[\w+/=.-]{16,200})/gi;

/** Any key of an environment: `MAPS_KEY=…`. */
const VARIABLE =
  /(?<![\w$])[A-Z][A-Z0-9_]{0,60}_?(?:KEY|SID|HASH_?KEY|SIGNATURE|IDENTITY)["']?\s{0,3}[=:]\s{0,3}["']?(?<value>[\w+/=~.-]{16,200})/g;

interface Place {
  start: number;
  end: number;
}

/** Where the values of secrets stand in a text that is assigned to their names (R-SAFE-7). */
export function assignedSecrets(text: string): Place[] {
  const beside = [BESIDE, BELOW]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(
      ({ groups = {} }) =>
        isNameOfSecret("", groups["name"] ?? "", groups["more"] ?? "") && isRandom(groups["value"] ?? ""),
    );
  const commands = OF_COMMANDS.flatMap((pattern) => [...text.matchAll(pattern)]).filter(({ groups = {} }) =>
    isCredible(groups["value"] ?? "", { isPlain: false, isPassword: true }),
  );
  const said = SAID.flatMap((pattern) => [...text.matchAll(pattern)]).filter(({ groups = {} }) =>
    isMixed(groups["value"] ?? ""),
  );
  const options = [KEY_OPTION, SAID_AT_RANDOM]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(({ groups = {} }) => isKey(groups["value"] ?? ""));
  const places = [...beside, ...commands, ...said, ...options].map((match) => {
    const value = match.groups?.["value"] ?? "";
    const start = match.index + match[0].lastIndexOf(value);
    return { start, end: start + value.length };
  });
  const keys = [...text.matchAll(VARIABLE)].flatMap(({ 0: whole, index, groups = {} }) => {
    const value = groups["value"] ?? "";
    const start = index + whole.length - value.length;
    return isKey(value) ? [{ start, end: start + value.length }] : [];
  });
  return [
    ...places,
    ...keys,
    ...givenSecrets(text),
    ...[...text.matchAll(ASSIGNED)].flatMap((match) => placeIn(text, match) ?? []),
  ];
}

const OF_PASSWORDS = new RegExp(`^(?:pass|pwd?$|psk|${IN_OTHER_LANGUAGES})`, "i");

/** Where the value of an assignment stands; null if it is no secret. */
function placeIn(text: string, match: RegExpExecArray): Place | null {
  const { name = "", more = "", mark = "", quote, quoted, bare } = match.groups ?? {};
  const value = quoted ?? bare ?? "";
  if (!isNameOfSecret(text.slice(Math.max(0, match.index - 8), match.index), name, more)) return null;
  const [isPlain, isPassword] = [quote === undefined, OF_PASSWORDS.test(name)];
  const end = match.index + match[0].length - (isPlain ? 0 : (/\\?["'`]$/.exec(match[0])?.[0].length ?? 1));
  const option = isOption(text, match.index);
  if (/^[ \t]+$/.test(mark) && !option) return null;
  // `connect("password", "urllib2")`: an argument beside another one.
  if (/,\s*["'`]$|,\s*$/.test(mark) && /^[A-Za-z]/.test(more)) return null;
  if (mark === ">" && !/^(?:<|&lt;)\//.test(text.slice(end, end + 5))) return null;
  if (isPlain && !option && !isWholeValue(text, match.index, end, { mark, name })) return null;
  if (isPlain && isProse(text, value, { end, mark })) return null;
  const isWord = isPlain && isPassword && mark.trim() === "=" && /^[a-z]{12,}$/.test(value) && !isMadeUp(value);
  if (!isWord && (value.length < (isPassword ? 6 : 8) || !isCredible(value, { isPlain, isPassword }))) return null;
  return { start: end - value.length, end };
}

const WORD = /^\p{L}\p{Ll}*(?:[’-]\p{L}\p{Ll}*)*$/u;

/** Whether a sentence goes on behind “these pass:”, with a word or a quotation; `password: größe` and “hunter2” are none. */
function isProse(text: string, value: string, { end, mark }: { end: number; mark: string }): boolean {
  const isQuoted = /^[“„«‘‚「『]/.test(value);
  const rest = text.slice(end, end + LONGEST_QUOTATION);
  if (isQuoted && /^[ \t][^\n]*[”“»’」』…]/.test(rest)) return true;
  const isWord = WORD.test(value.replaceAll(/^[“„«‘‚「『]+|[”“»’」』]+$/g, ""));
  return isWord && /^\s*[:：]\s*$/.test(mark) && (isQuoted || /^[ \t]\p{L}/u.test(rest));
}

const LONGEST_QUOTATION = 300;

/** Of whom a short name may be: `dbpass`, `rootpw`. */
const WHOSE =
  /(?:db|user|root|admin|sql|pg|my|ftp|mail|smtp|imap|redis|ldap|ssh|proxy|vpn|wifi|http|login|key|cert|store|bind|repl|sudo)$/i;

function isNameOfSecret(before: string, name: string, more: string): boolean {
  // `FirebaseAuth`.
  if (/^auth$/i.test(name) && /[A-Za-z]$/.test(before)) return false;
  // `bypass`, `compass`, `hotkeys`.
  const isShort = /^(?:pass|pw|pwd|psk|pat|_?auth|salt|seed|dsn|jwt|creds)$/i.test(name);
  // `author`, `pattern`.
  if (isShort && /[a-z]$/.test(before) && /^[a-z]/.test(name) && !WHOSE.test(before)) return false;
  if (isShort && /^[a-z]/.test(more)) return false;
  // `tokenizer`, `secretary`: the name goes on as one word.
  if (/^[a-z]/.test(more) && /[a-z]$/.test(name)) return false;
  return (
    !ABOUT.test(more) && !/(?:^|[_.-])(?:name|id|path|file|url|type|length|expires?|at|in|count|hash)$/i.test(more)
  );
}

/** In signs, of what stands before a name on its line. */
const LONGEST_LEAD = 100;

/** `--password hunter2`, `-pass …`, `--set auth.password=…`, `--from-literal=db-password=…`. */
function isOption(text: string, at: number): boolean {
  return /(?:^|\s)(?:--?[\w-]{0,30}|--[a-z-]{2,20}[ =][\w.-]{0,60})$/.test(text.slice(Math.max(0, at - 84), at + 1));
}

/** Whether an unquoted value is all of its line, as in settings: code goes on with a call, an operator or a semicolon. */
function isWholeValue(
  text: string,
  start: number,
  end: number,
  { mark, name }: { mark: string; name: string },
): boolean {
  if (mark === ">" || /^[ \t]+$/.test(mark)) return true;
  if (/["'`],|:=|==/.test(mark)) return false;
  const near = text.slice(Math.max(0, start - LONGEST_LEAD), start);
  const line = near.lastIndexOf("\n") + 1;
  const lead = line === 0 && start > LONGEST_LEAD ? "?" : near.slice(line);
  const rest = text.slice(end, end + 20).split(/\r?\n/)[0] ?? "";
  const isQuery = /[?&]$/.test(lead) || /[?&;][\w.-]{0,40}$/.test(lead);
  if (isQuery) return !/^[({[]/.test(rest);
  // As a shell has it, also in a sentence: `we saw DB_PASSWORD=…, and …`.
  if (mark === "=" && name === name.toUpperCase() && /(?:^|\s)[A-Z\d_]{0,60}$/.test(lead) && !/^[({[]/.test(rest))
    return true;
  // In an inventory of hosts: `web1 ansible_ssh_pass=…`.
  if (mark === "=" && /(?:^|\s)\w{1,60}_$/.test(lead) && /^(?:\s|$)/.test(rest)) return true;
  return (
    /^\s*(?:[^\n:=(){}]{1,60}:\s+|\d{1,4}[.)]\s+)?(?:[-*>+#|]\s+|\/\/\s*|export\s+|set\s+|ENV\s+|ARG\s+|-[eD]\s*)?["'`]?[\w./:@-]{0,100}$/i.test(
      lead,
    ) && /^\s*["'`|]?(?:\s+#.*|,)?$/.test(rest)
  );
}

function isKey(value: string): boolean {
  return isRandom(value) && !isMadeUp(value) && !PLACEHOLDER.test(value);
}

function isCredible(value: string, { isPlain, isPassword }: { isPlain: boolean; isPassword: boolean }): boolean {
  if (/\s/.test(value) || PLACEHOLDER.test(value) || isMadeUp(value)) return false;
  // A name of code: `config.tokens2`, `user1_token`.
  if (isPlain && /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  if (isPassword && changesCase(value)) return true;
  if (isPassword) return /\d/.test(value) ? /[A-Za-z]/.test(value) : /[^\w.\-:/]/.test(value) && /[A-Za-z]/.test(value);
  return isRandom(value);
}
