import { classify } from "../../code/classify.ts";
import { anyPhrase } from "../../domain/issue-text/phrases.ts";
import sensitiveFiles from "./sensitive-files.json" with { type: "json" };
import sensitiveWords from "./sensitive-words.json" with { type: "json" };

/** A topic, kind of change or file that only a person may decide on. */
interface Constraint {
  name: string;
  pattern: RegExp;
}

const byWords = (lists: typeof sensitiveWords.text): Constraint[] =>
  lists.map(({ name, ...phrases }) => ({ name, pattern: anyPhrase(phrases) }));

const KEYWORDS = byWords(sensitiveWords.text);
/** Only if the issue is about them. */
const TITLE_KEYWORDS = byWords(sensitiveWords.title);
/** Changes that cannot be undone, or that extend permissions. */
const CHANGES = byWords(sensitiveWords.changes);
/** Files that may change only with a person's review. */
const FILES: Constraint[] = sensitiveFiles.map(({ name, patterns, matchesCase = false }) => ({
  name,
  pattern: new RegExp(patterns.join("|"), matchesCase ? "" : "i"),
}));

const LONGEST_TEXT = 64 * 1024;
const MOST_FILES_SHOWN = 10;

/**
 * What forces HIGH risk and a person's review (R-TRI-1): words of the issue, kinds of change, and files. Each flag
 * names its cause, such as `file: .env.production (environment file)`.
 */
export function securityFlags(given: {
  title: string;
  prose: string;
  labels: readonly string[];
  paths: readonly string[];
  /** Sentences that order the tool to do something. */
  toolOrders?: readonly string[];
}): string[] {
  const text = `${given.title}\n${given.labels.join("\n")}\n${given.prose}`.slice(0, LONGEST_TEXT);
  const inTitle = flagsIn(TITLE_KEYWORDS, given.title, "keyword");
  const inText = flagsIn(KEYWORDS, text, "keyword");
  const changes = flagsIn(CHANGES, text, "change");
  const files = given.paths.flatMap((path) => {
    const kind = FILES.find(({ pattern }) => pattern.test(path));
    // Docs, tests and examples of such code do not affect it.
    const isHarmless =
      kind?.name.endsWith("code") === true && ["docs", "test", "example"].includes(classify(path).role);
    return kind === undefined || isHarmless ? [] : [`file: ${path} (${kind.name})`];
  });
  const orders = (given.toolOrders ?? []).slice(0, 1).map((order) => `text: ${order} (an order to the tool)`);
  return [...orders, ...inTitle, ...inText, ...changes, ...files.slice(0, MOST_FILES_SHOWN)];
}

/** The word or the path that a flag is about. */
export function causeOf(flag: string): string {
  return /^\w+: (.+) \([^()]*\)$/.exec(flag)?.[1] ?? flag;
}

function flagsIn(constraints: readonly Constraint[], text: string, kind: string): string[] {
  return constraints.flatMap(({ name, pattern }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${kind}: ${found.toLowerCase()} (${name})`];
  });
}
