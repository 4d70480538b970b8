import { stripHiddenText } from "../../domain/text/hidden-text.ts";
import { cutAtWord, codeSpan } from "../../lib/text.ts";

const READ = 4_000;
/** The words with which a spec cites its evidence. */
const CITING = String.raw`\b(gap|finding|message)(s?)\s+#?(?=\d)`;
/** Lines of code or output rather than prose. */
const NO_PROSE = /^\s*(?:at\s+\S+(?:\s*\(|:\d)|file:\/\/|\^+\s*$|Traceback\b|File ")|[;{}]\s*$|^\s*[)\]}]/;
const ITEM = /^\s*(?:[*+-]|\d+[.)])\s/;
/** Words that tie a sentence to the one before it, which is not quoted. */
const DISCOURSE =
  /^i(?:['’]m| am) not (?:exactly |quite )?sure[^,.;]{0,60},? but\s+(?=\S)|^(?:instead(?:, this happened)?|however|but|also|so|then|and|unfortunately|hi(?: all| there)?|hello|hey|moin|servus|salut|coucou|oi|привет|здравствуйте|однако|но|также|aber|jedoch|leider|hallo|pero|sin embargo|hola|mais|cependant|bonjour|mas|porém|olá)[,!.:]?\s+(?=\S)|^as (?:(?:already|also) )?(?:pointed out|mentioned|discussed|described|noted|said|reported)\b[^,]{0,160},\s+(?=\S)|^(?:yes|yep|yeah|да|ja|sí|oui|sim),\s+(?=\S)|^(?:\+1|👍) (?:to|for|on)\s+(?=\S)/iu;

/**
 * Text by people is data (R-SAFE-1): in a document it becomes one line of whole sentences, at most `most` characters,
 * that opens no block, holds no HTML and cites nothing. Fenced code is left out. Apply it only once, to text as people
 * wrote it: text that is already escaped would be escaped again.
 */
export function plain(text: string, most = 240): string {
  return inLine(oneLine(text).replace(DISCOURSE, "").trim(), most);
}

/** The same for a whole message within a sentence, which keeps its first words: “Yes, but …”. */
export function wholePhrase(text: string, most: number): string {
  return clause(inLine(oneLine(text), most));
}

function inLine(line: string, most: number): string {
  const short = shorten(line, most);
  // Punctuation alone says nothing.
  return /[\p{L}\p{N}]/u.test(short) ? inert(short).replaceAll(/\s+/g, " ").trim() : "";
}

/** The same for use within a sentence: without its full stop. */
export function phrase(text: string, most = 160): string {
  return clause(plain(text, most));
}

/** Without its full stop, which is escaped after a number alone. */
export function clause(text: string): string {
  return text.replace(/(?<![.。!！])\\?[.。!！:：]$/u, "");
}

/** A command, message or name as code, or as plain text if a code span cannot hold it. */
export function code(text: string, most = 120): string {
  const flat = stripHiddenText(text.slice(0, READ), { tags: false }).text.replaceAll(/\s+/g, " ").trim();
  // A place or number named by people may not exist, so it is quoted as text rather than cited.
  const cites = /^\S+:\d+(?:-\d+)?$/.test(flat) || new RegExp(CITING, "i").test(flat);
  if (flat === "" || flat.includes("`") || cites) return plain(flat, most);
  return codeSpan(cutAtWord(flat, most));
}

const EXPECTING: readonly [RegExp, string][] = [
  [/^(?:(?:i|we) (?:would )?expect(?:ed)? )?to see(?: (?:this|that|it) happen)?:?\s+(?=\S)/iu, ""],
  [
    /^(?:i|we)(?:['’]d| would| had| was| were)?(?: have)? expect(?:ed|ing)? (?:that )?(it|this|that|(?:`[^`]{1,60}`|[^,.`]){1,60}?) to (?=\S)/iu,
    "$1 should ",
  ],
  [
    /^(?:(?:i|we)(?:['’]d| would| had)? (?:have )?)?expect(?:ed|ation)?(?: behaviou?r| result)?(?: is| was)?(?: that|:|,)?\s+(?=\S)/iu,
    "",
  ],
  [
    /^it(?:['’]d| would) be (?:very |really |so |super )?(?:useful|nice|great|good|helpful|cool|better|handy|awesome|ideal)(?: to be able to| to(?! have(?! to\b))| if)\s+(?=\S)/iu,
    "",
  ],
  [
    /^(?:i|we)(?:['’]d| would)? (?:propose|suggest|like|want|love)(?: (?:to )?you)?(?: to be able)?(?: that| to)?(?:(?<= to) (?:see|have))?\s+(?=\S)/iu,
    "",
  ],
  [/^(?:(?:я |мы )?ожида\p{L}+|ожидается|ожидалось),?\s+что\s+(?=\S)/iu, ""],
  [/^(?:(?:ich|wir|man) )?(?:erwarte[tn]?|erwartet|würde[n]? erwarten|hätte[n]? erwartet),?\s+dass\s+(?=\S)/iu, ""],
  // A bare subjunctive is no sentence.
  [/^(?:se )?esper(?:aba|ábamos|aríamos|amos)\s+que\s+(?=\S)/iu, "se espera que "],
  [/^(?:espera-se|esper(?:ava|ávamos|aria))\s+que\s+(?=\S)/iu, "espera-se que "],
  [
    /^espero que\s+(?=.*(?<!\p{L})(?:não|um|uma|em|do|da|dos|das|ao|os|seja[m]?|fosse[m]?|\p{L}*[ãõç]\p{L}*)(?!\p{L}))/iu,
    "espera-se que ",
  ],
  [/^(?:se )?espero\s+que\s+(?=\S)/iu, "se espera que "],
  [/^(?:je m['’]attend\p{L}+|on s['’]attend\p{L}*)\s+à ce qu(?=e\s|['’])/iu, "il est attendu qu"],
];

/** The expected behaviour, without the words for who expects it. */
export function expectation(text: string): string {
  const flat = text.trim();
  const form = EXPECTING.find(([pattern]) => pattern.test(flat));
  return form ? flat.replace(...form) : flat;
}

/** Starts with a capital letter, as a bullet does; code and names such as `try_next` or `fooBar` are unchanged. */
export function sentence(text: string): string {
  return text.replace(/^\p{Ll}(?=\p{Ll}*(?:['’]\p{Ll}{1,3})?(?:[\s,;:!?…)]|\.?$))/u, (letter) => letter.toUpperCase());
}

/** For a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", String.raw`\|`);
}

function oneLine(text: string): string {
  const shown = stripHiddenText(text.slice(0, READ), { tags: false }).text.replaceAll(
    /```[\s\S]*?(?:```|$)|(?<=^|\n)[ \t]*~~~[\s\S]*?(?:~~~|$)/g,
    "\n",
  );
  const all = shown.split(/\r?\n/).filter((line) => line.trim() !== "");
  const prose = all.filter((line) => !NO_PROSE.test(line));
  return (prose.length > 0 ? prose : all.slice(0, 1))
    .map((line, at) => {
      const unlinked = line.replaceAll(/(`[^`]*`)|!?\[([^\]]*)\]\([^)]*\)/g, "$1$2");
      const item = unlinked.replace(/^(?:\s*(?:[#>*+-]+|\d+[.)])(?=\s))+/, "");
      // Items of a list, which often end without a full stop.
      const next = prose[at + 1] ?? "";
      if (/^\s*#/.test(line) || next === "" || !/[\p{L}\p{N}`)]\s*$/u.test(item)) return item;
      if (ITEM.test(next)) return `${item.trimEnd()};`;
      return ITEM.test(line) && !/^\s{2,}/.test(next) ? `${item.trimEnd()}.` : item;
    })
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** As many whole sentences as fit; part of a sentence only if the first alone is too long. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const sentences = text
    .slice(0, most)
    .match(/^.*(?:(?<!(?:^|[\s.(])(?:\p{L}|max|min|máx|mín|макс|мин))[.!?](?=\s|$)|[。！？])/su)?.[0];
  if (sentences !== undefined && sentences.length > most / 4) return sentences;
  const cut = text.slice(0, most - 1);
  const atClause = Math.max(cut.lastIndexOf(", "), cut.lastIndexOf("; "), cut.lastIndexOf("，"), cut.lastIndexOf("、"));
  return atClause > most / 2 ? `${cut.slice(0, atClause).replace(/[\s,;:]+$/, "")}…` : cutAtWord(text, most);
}

function inert(shortened: string): string {
  // Runs of several backticks pair up unpredictably; only single pairs stay code. A backslash would escape the first
  // backtick of a pair.
  const text = shortened.replaceAll(/\\+(?=`)/g, "");
  const simple = !/``/.test(text) && (text.match(/`/g)?.length ?? 0) % 2 === 0 ? text : text.replaceAll("`", "");
  return (
    simple
      .trim()
      // An address with its port is no place in the code.
      .replaceAll(/`\s*((?![^`\s]*:\/\/)[^`\s]+:\d+(?:-\d+)?)\s*`/g, "$1")
      .replaceAll(new RegExp(CITING, "gi"), "$1$2 no. ")
      .split(/(`[^`]*`)/)
      // Before a blank or a number, `<` opens no tag. `__name__` would become bold.
      .map((part, index) =>
        index % 2 === 1
          ? part
          : part.replaceAll(/<(?![\s\d=])/g, "&lt;").replaceAll(/(?<![\w.*`-])__\w+__(?![\w*`-])/g, "`$&`"),
      )
      .join("")
      .replace(/^(?=[#>+\-*=~|_])(?![+-]\d)/, "\\")
      .replace(/^(\d+)(?=[.)](?:\s|$))/, "$1\\")
      .replace(/\\+$/, "")
  );
}

/** What follows from it, without why. */
export function withoutReason(text: string): string {
  const short = text.replace(/,?\s+(?:because|due to|weil|потому что|porque|parce que)(?=\s)[\s\S]*$/iu, "");
  return short.length > 20 && (short.match(/`/g)?.length ?? 0) % 2 === 0 ? short : text;
}
