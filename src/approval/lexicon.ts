import ar from "./lexicon/ar.json" with { type: "json" };
import cs from "./lexicon/cs.json" with { type: "json" };
import da from "./lexicon/da.json" with { type: "json" };
import de from "./lexicon/de.json" with { type: "json" };
import el from "./lexicon/el.json" with { type: "json" };
import en from "./lexicon/en.json" with { type: "json" };
import es from "./lexicon/es.json" with { type: "json" };
import fa from "./lexicon/fa.json" with { type: "json" };
import fi from "./lexicon/fi.json" with { type: "json" };
import fr from "./lexicon/fr.json" with { type: "json" };
import he from "./lexicon/he.json" with { type: "json" };
import hi from "./lexicon/hi.json" with { type: "json" };
import hu from "./lexicon/hu.json" with { type: "json" };
import id from "./lexicon/id.json" with { type: "json" };
import it from "./lexicon/it.json" with { type: "json" };
import ja from "./lexicon/ja.json" with { type: "json" };
import ko from "./lexicon/ko.json" with { type: "json" };
import nl from "./lexicon/nl.json" with { type: "json" };
import no from "./lexicon/no.json" with { type: "json" };
import pl from "./lexicon/pl.json" with { type: "json" };
import pt from "./lexicon/pt.json" with { type: "json" };
import ro from "./lexicon/ro.json" with { type: "json" };
import ru from "./lexicon/ru.json" with { type: "json" };
import sv from "./lexicon/sv.json" with { type: "json" };
import tr from "./lexicon/tr.json" with { type: "json" };
import uk from "./lexicon/uk.json" with { type: "json" };
import vi from "./lexicon/vi.json" with { type: "json" };
import zh from "./lexicon/zh.json" with { type: "json" };
import { anyOf } from "../domain/issue-text/phrases.ts";
import { once } from "../lib/once.ts";

/**
 * The phrases of one language as in `lexicon/*.json`: one per line, in lower case, as sources of regular expressions;
 * `{name}` matches any of the `parts` with that name.
 */
interface Phrases {
  /** Whether the language puts spaces between words. */
  spaced: boolean;
  /** Phrases that mean yes. */
  affirmative: readonly string[];
  /** Phrases that name the action: enough for a go-ahead even if Relay did not ask for one. */
  explicit: readonly string[];
  /** Phrases that look like a yes but are a shrug, or irony; no go-ahead on their own. */
  doubtful: readonly string[];
  /** Phrases that say that one has read it: a yes only beside another that names the action. */
  read?: readonly string[];
  /** Phrases that leave the decision open and ask for no change: not read yet, somebody else's word is awaited. */
  open?: readonly string[];
  /** Phrases that are about people and time, and not about the software: when, who is away, what one has not read. */
  asides?: readonly string[];
  /** Phrases that take back what their writer said before; before a “go ahead” they are no part of it. */
  turns?: readonly string[];
  /** Phrases that mean neither yes nor no. */
  polite: readonly string[];
  /** Phrases that mean no, or not yet. */
  negative: readonly string[];
  /** Phrases that ask to stop or to wait, which rejects too. */
  stop: readonly string[];
  /** Phrases that request the stop after them: “could you stop …”. */
  stopLeadIns: readonly string[];
  /** Words without effect at the beginning, or at the end, of another phrase. */
  leadingFillers: readonly string[];
  trailingFillers: readonly string[];
  /** Words that make a sentence beside a go-ahead more than a remark: conditions, negations, exceptions. */
  reservations: readonly string[];
  /** What a yes may name; languages without `phrase` words are only searched for the names. */
  objects: {
    spec: readonly string[];
    /** The plan, and what follows it. */
    work: readonly string[];
    /** Names of the plan that stand where a name of the spec could: “yes to the plan”. */
    plan?: readonly string[];
    articles?: readonly string[];
    /** Prepositions before the names. */
    before?: readonly string[];
    /** What starts the spec where it stands beside its name: “you can draft”. */
    writing?: readonly string[];
  };
  /** Other letters that people write for a letter: without its diacritics, or in traditional Chinese. */
  variants?: Readonly<Record<string, string>>;
  parts: Readonly<Record<string, readonly string[]>>;
}

/** The compiled phrases of one language. All but the fillers and `stopFirst` match a whole clause. */
export interface Lexicon {
  affirmative: RegExp;
  explicit: RegExp;
  doubtful: RegExp;
  read: RegExp;
  open: RegExp;
  aside: RegExp;
  turn: RegExp;
  polite: RegExp;
  negative: RegExp;
  stop: RegExp;
  /** A stop with more behind it: “stop the run”. In a language without spaces, it would match within other words. */
  stopFirst: RegExp | null;
  fillers: { start: RegExp; end: RegExp };
  objects: {
    spec: RegExp;
    work: RegExp;
    /** A name with the words before it; null in a language that lists none. */
    phrase: RegExp | null;
    /** A name of the spec at the beginning, with an article or more behind it: something is said about it. */
    subject: RegExp | null;
    writing: RegExp | null;
  };
}

const LANGUAGES: readonly Phrases[] = [
  en,
  ru,
  de,
  fr,
  es,
  pt,
  it,
  pl,
  uk,
  zh,
  ja,
  ko,
  ar,
  cs,
  da,
  el,
  fa,
  fi,
  he,
  hi,
  hu,
  id,
  nl,
  no,
  ro,
  sv,
  tr,
  vi,
];

/** Every language in which replies are understood. */
export const lexicons = once((): readonly Lexicon[] => LANGUAGES.map(compile));

function compile(phrases: Phrases): Lexicon {
  const {
    spaced,
    affirmative,
    explicit,
    doubtful,
    read = [],
    open = [],
    asides = [],
    turns = [],
    polite,
    negative,
    stop,
  } = phrases;
  const sourceIn = (list: readonly string[]) => source(list, phrases);
  const whole = (list: readonly string[]) => new RegExp(`^(?:${sourceIn(list)})$`, "u");
  const gap = spaced ? " " : " ?";
  return {
    affirmative: whole(affirmative),
    explicit: whole(explicit),
    doubtful: whole(doubtful),
    read: whole(read),
    open: whole(open),
    aside: whole(asides),
    turn: whole(turns),
    polite: whole(polite),
    negative: whole([...negative, ...stop]),
    stop: whole(stop),
    stopFirst: spaced
      ? new RegExp(`^(?:(?:${sourceIn(phrases.stopLeadIns)}) )?(?:${sourceIn(stop)})(?![\\p{L}\\p{N}_-])`, "u")
      : null,
    // Fillers are removed only if something else is left: alone they are phrases themselves.
    fillers: {
      start: new RegExp(`^(?:${sourceIn(phrases.leadingFillers)})${gap}(?=.)`, "u"),
      end: new RegExp(`(?<=.)${gap}(?:${sourceIn(phrases.trailingFillers)})$`, "u"),
    },
    objects: compileObjects(phrases),
  };
}

function compiled(...parts: string[]): RegExp {
  return new RegExp(parts.join(""), "u");
}

function compileObjects(phrases: Phrases): Lexicon["objects"] {
  const { spec, work, plan, articles = [], before = [], writing = [] } = phrases.objects;
  const [start, end] = phrases.spaced ? ["(?<![\\p{L}\\p{N}-])", "(?![\\p{L}\\p{N}-])"] : ["", ""];
  // “l’” and “d’” stand at the name itself.
  const gap = phrases.spaced ? "(?: |(?<='))" : "";
  const oneOf = (list: readonly string[]) => `(?:${source(list, phrases)})`;
  const name = (list: readonly string[]) => `${start}${oneOf(list)}${end}`;
  const opening = articles.length === 0 ? "" : `(?:${oneOf([...before, ...articles])}${gap})*`;
  return {
    spec: compiled(name(spec)),
    work: compiled(name(work)),
    phrase: plan === undefined ? null : compiled(start, opening, oneOf([...spec, ...plan]), end),
    subject:
      plan === undefined
        ? null
        : compiled(
            `^(?:${oneOf(articles)}${gap}${oneOf(spec)}${end}.|${oneOf(spec)}`,
            phrases.spaced ? " \\S+ ." : "...",
            ")",
          ),
    writing: writing.length === 0 ? null : compiled("^", oneOf(writing), "$"),
  };
}

/** Replies are read in NFKC, which changes single Korean letters; so are the phrases. */
function source(list: readonly string[], { parts, variants = {} }: Pick<Phrases, "parts" | "variants">): string {
  return list
    .join("|")
    .normalize("NFKC")
    .replaceAll(/[^\p{ASCII}]/gu, (letter) => (letter in variants ? `[${letter}${variants[letter]}]` : letter))
    .replaceAll(/\{([a-z][a-z -]*)\}/g, (_, name: string) => `(?:${source(parts[name] ?? [], { parts, variants })})`);
}

const reservations = once(() =>
  LANGUAGES.map((phrases) => {
    const words = source(phrases.reservations, phrases);
    return phrases.spaced ? anyOf(words) : new RegExp(words, "u");
  }),
);

/** Whether a sentence sets a condition, rejects something, or makes an exception. */
export function isReservation(sentence: string): boolean {
  return reservations().some((pattern) => pattern.test(sentence));
}
