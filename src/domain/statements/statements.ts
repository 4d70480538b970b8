import type { ConversationMessage } from "../conversation.ts";
import { NOT_NEEDED } from "../issue-text/aspect-words.ts";
import { proseSentences } from "../issue-text/prose-sentences.ts";
import { type IssueText, readIssue } from "../issue-text/issue-reading.ts";
import { blocksOf, plainText } from "../issue-text/markdown.ts";
import { sectionsOf } from "../issue-text/sections.ts";
import type { SectionTopic } from "../issue-text/section-titles.ts";
import { withoutOrders } from "../issue-text/orders-in-text.ts";
import { sameLogin } from "../login.ts";
import { stripHiddenText } from "../text/hidden-text.ts";
import { detectLanguage } from "../text/language.ts";
import { shared, significantWords } from "../text/significant-words.ts";
import { cutAtWord } from "../../lib/text.ts";
import { forbidsPlaces } from "./places-meant.ts";
import {
  type Subject,
  addsTo,
  isAgainst,
  isOnlyNo,
  replacedIn,
  replaces,
  sameness,
  saysSame,
  subjectOf,
} from "./overruling.ts";
import { joinsOn, sentencesIn, stepsIn, withoutNo } from "./sentences-said.ts";
import { type ReadSentence, type SentenceKind, onlyAsksForFix, readSentence } from "./sentence.ts";

/** What a person said about an issue that its spec must heed (R-PLAN-13). */
export interface Statement {
  kind: SentenceKind;
  /** One sentence in the author's words. */
  text: string;
  /** Position of its message; null for the issue's own text. */
  message: number | null;
  author: string;
  /** Its author decides here, or somebody who decides agreed to it. */
  decides: boolean;
  /** The message in which somebody who decides agreed to it. */
  agreedIn: number | null;
  /** The message in which its author took it back, or somebody who decides overruled it. */
  supersededBy: number | null;
}

export interface Statements {
  /** In the order of the thread, the issue's own text first. */
  statements: Statement[];
  /** Statements beyond the limits, and characters of messages that were not read. */
  omitted: { statements: number; characters: number };
}

const MOST = { issue: 20, message: 12, all: 300 };
/** Characters of a message that are read, and of a statement that are kept. */
const READ = 20_000;
const LONGEST = 400;
/** Characters that tell the language of a text. */
const DETECTED = 2_000;
/** Share of the words of the shorter of two texts that makes them speak of the same. */
const SAME = 0.6;

/**
 * Finds the statements of people in an issue's own text and its thread, by rules. `deciders` are the logins of the people
 * who decide, in lower case. Code, quotations, Relay's own comments and those of bots say nothing; an agreement by
 * somebody who decides makes the earlier statement a decision. Time grows linearly with the text.
 */
export function statementsIn(
  issue: Omit<IssueText, "comments"> & { reporter: string },
  messages: readonly ConversationMessage[],
  deciders: ReadonlySet<string>,
): Statements {
  const thread = new Thread(issue, deciders);
  for (const message of messages) thread.read(message);
  return { statements: thread.found, omitted: thread.omitted };
}

/** The issue as its own author's first message, with position null. */
type Source = Pick<Statement, "message" | "author" | "decides">;

class Thread {
  readonly found: Statement[] = [];
  readonly omitted = { statements: 0, characters: 0 };
  private readonly language: string;
  private readonly deciders: ReadonlySet<string>;
  /** What was said last before the present message, and by whom; null for Relay and bots. */
  private last: ConversationMessage | null = null;
  private readonly seen = new Set<string>();
  private readonly title: string;
  private readonly titleWords: ReadonlySet<string>;
  private readonly subjects = new Map<Statement, Subject>();

  constructor(issue: Omit<IssueText, "comments"> & { reporter: string }, deciders: ReadonlySet<string>) {
    this.deciders = deciders;
    this.title = issue.title;
    this.titleWords = significantWords(issue.title);
    const { sections, text, acceptanceCriteria, today, aspects, kind: issueKind } = readIssue(issue);
    const steps = issueKind.kind === "bug" ? new Set(sections.flatMap(stepsIn)) : new Set<string>();
    // “Today it only exports CSV”, “it prints the sum without it”: what happens limits nothing.
    const told = new Set([today, aspects.actual.text].map((one) => plainText(one ?? "")));
    this.language = detectLanguage(`${issue.title}\n${text}`.slice(0, DETECTED));
    const source = { message: null, author: issue.reporter, decides: deciders.has(issue.reporter.toLowerCase()) };
    const read = (sentence: string) => readSentence(sentence, [this.language], true);
    const criteria = acceptanceCriteria.map((criterion) => {
      const { kind, text: own } = read(plainText(criterion));
      return { kind: kind ?? "wish", text: own };
    });
    const others = sections
      .filter(({ topic }) => !NO_STATEMENTS.has(topic))
      .flatMap(({ topic, blocks }) =>
        sentencesIn(blocks).flatMap((sentence) => {
          const { kind, text: own } = read(sentence);
          // Items such as “translations” have no verb; the title says what becomes of them.
          if (topic === "left_out") return [{ kind: "bound" as const, text: own || sentence }];
          if (kind !== "wish" && forbidsPlaces(sentence)) return [{ kind: "bound" as const, text: own || sentence }];
          if (kind === null && issueKind.kind === "feature" && NOT_NEEDED.test(sentence))
            return [{ kind: "bound" as const, text: sentence }];
          // A use case tells why, not what.
          if (kind === null || (topic === "use_case" && kind === "wish")) return [];
          if (kind === "bound" && told.has(sentence)) return [];
          if (kind === "wish" && steps.has(sentence)) return [];
          return [{ kind, text: own }];
        }),
      );
    this.keep([...criteria, ...others], source, MOST.issue);
  }

  read(message: ConversationMessage): void {
    const { role, isBot, author, seq, content } = message;
    const before = this.last;
    this.last = isBot || role === "self" ? null : message;
    if (this.last === null) return;
    this.omitted.characters += Math.max(0, content.length - READ);
    const text = stripHiddenText(content, { most: READ }).text;
    const languages = [...new Set([detectLanguage(text.slice(0, DETECTED)), this.language])];
    const source = { message: seq, author, decides: this.deciders.has(author.toLowerCase()) };
    const own: Pick<Statement, "kind" | "text">[] = [];
    let quoted: string[] = [];
    const { blocks } = withoutOrders(blocksOf(text), this.title);
    const out = sectionsOf(blocks).filter(({ topic }) => topic === "left_out");
    const leftOut = new Map(out.flatMap((section) => section.blocks.map((block) => [block.start, block])));
    for (const block of blocks) {
      if (block.kind !== "paragraph") continue;
      if (block.quoted) {
        quoted.push(...proseSentences([{ ...block, quoted: false }]).map((sentence) => plainText(sentence.text)));
        continue;
      }
      // Without the label before it.
      for (const sentence of sentencesIn([leftOut.get(block.start) ?? block])) {
        const read = readSentence(sentence, languages);
        if (read.agrees) own.push(...this.agree(source, targetOf(message, sentence), quoted, before));
        const isBound = leftOut.has(block.start) || (read.kind !== "wish" && forbidsPlaces(sentence));
        const kind = isBound ? "bound" : read.kind;
        const mayOverrule = source.decides && (kind === "decision" || kind === "bound") && !leftOut.has(block.start);
        const isOther = isAgainst(sentence) || replacedIn(sentence) !== null;
        const takes = read.corrects || (source.decides && kind === "wish") || (mayOverrule && isOther);
        const aim = { languages, quoted, seq: this.answeredBy(targetOf(message, sentence), before) };
        const isTaken = takes && this.takeBack(source, read, sentence, aim);
        const said = withoutNo(read.text || sentence);
        if (kind !== null) own.push({ kind, text: said });
        else if (isTaken && source.decides) own.push({ kind: "decision", text: said });
        else if (source.decides && joinsOn(sentence) && (own.at(-1)?.kind ?? "fact") !== "fact")
          own.push({ kind: "decision", text: said });
      }
      quoted = [];
    }
    this.keep(own, source, MOST.message);
  }

  private keep(said: readonly Pick<Statement, "kind" | "text">[], source: Source, most: number): void {
    const fresh = said.filter(({ kind, text }) => {
      if (kind === "wish" && onlyAsksForFix(text, this.title) && !NAMES_PLACE.test(text)) return false;
      const key = `${source.author.toLowerCase()}\n${text.toLowerCase()}`;
      return !this.seen.has(key) && this.seen.add(key);
    });
    const kept = fresh.slice(0, Math.max(0, Math.min(most, MOST.all - this.found.length)));
    this.omitted.statements += fresh.length - kept.length;
    for (const { kind, text } of kept) {
      this.found.push({ kind, text: cutAtWord(text, LONGEST), ...source, agreedIn: null, supersededBy: null });
    }
  }

  /**
   * Makes what somebody agreed to a decision: what they quoted, else what the person they name or answer said, else what
   * was said just before. A quotation of something unknown becomes their own decision, which is returned.
   */
  private agree(
    { message, author, decides }: Source,
    { login, seq }: { login: string | null; seq: number | null },
    quoted: readonly string[],
    before: ConversationMessage | null,
  ): Pick<Statement, "kind" | "text">[] {
    if (!decides) return [];
    const others = this.found.filter(
      (one) => one.supersededBy === null && one.kind !== "fact" && !sameLogin(one.author, author),
    );
    if (quoted.length > 0) {
      const same = others.filter(({ text }) => quoted.some((quote) => isSame(text, quote)));
      const unknown = quoted.filter((quote) => !this.found.some(({ text }) => isSame(text, quote)));
      for (const one of same) Object.assign(one, { kind: "decision", decides: true, agreedIn: message });
      return same.length > 0 ? [] : unknown.slice(0, 3).map((text) => ({ kind: "decision", text }));
    }
    const of = this.answeredBy({ login, seq }, before);
    for (const one of others) {
      if (one.message !== null && one.message === of)
        Object.assign(one, { kind: "decision", decides: true, agreedIn: message });
    }
    return [];
  }

  private subjectOf(one: Statement, languages: readonly string[]): Subject {
    const known = this.subjects.get(one) ?? subjectOf(one.text, languages);
    this.subjects.set(one, known);
    return known;
  }

  private answeredBy({ login, seq }: ReturnType<typeof targetOf>, before: ConversationMessage | null): number | null {
    if (login === null) return seq ?? before?.seq ?? null;
    const theirs = this.found.filter(({ kind, supersededBy }) => kind !== "fact" && supersededBy === null);
    return theirs.findLast((one) => one.message !== null && sameLogin(one.author, login))?.message ?? null;
  }

  /**
   * Marks what a sentence takes back: what its author said, or, if they decide, what anybody said. It is what speaks most
   * clearly of the same, else the one statement that the sentence answers; what is unclear stays. Returns whether there is any.
   */
  private takeBack({ message, author, decides }: Source, read: ReadSentence, sentence: string, aim: Aim): boolean {
    const replaced = replacedIn(sentence);
    const isExplicit = read.corrects || replaced !== null;
    const isOwn = (one: Statement) => one.message !== null && sameLogin(one.author, author);
    const mayBe = this.found.filter(
      (one) =>
        one.message !== message &&
        one.supersededBy === null &&
        // A mere wish only stands against what others said who do not decide.
        (read.corrects || replaced !== null || read.kind !== "wish" || !one.decides) &&
        (isOwn(one) ||
          (decides && read.kind !== "fact" && one.kind !== "fact" && (isExplicit || one.message !== null))),
    );
    const quoted = mayBe.filter(({ text }) => aim.quoted.some((quote) => isSame(text, quote)));
    const target = mayBe.filter((one) => aim.seq !== null && [one.message, one.agreedIn].includes(aim.seq));
    const own = mayBe.filter(isOwn);
    const answered = [quoted, target].find((some) => some.length > 0) ?? [];
    const subject = subjectOf(sentence, aim.languages);
    const mark = (taken: readonly Statement[]) => {
      for (const one of taken) one.supersededBy = message;
      return taken.length > 0;
    };
    if (subject.words.size === 0) {
      const near = answered.length > 0 ? answered : own.filter((one) => one.message === own.at(-1)?.message);
      return mark(read.corrects && !isOnlyNo(sentence) && near.length === 1 ? near : []);
    }
    if (addsTo(sentence)) return false;
    // Whoever says the same once more takes back nothing that was said beside it.
    const since = this.found.findLastIndex(
      (one) => one.decides && one.supersededBy === null && saysSame(subject, this.subjectOf(one, aim.languages)),
    );
    const later = isExplicit
      ? mayBe
      : mayBe.filter((one) => this.found.indexOf(one) > since && one.message !== this.found[since]?.message);
    const rated = later.map((one) => {
      const earlier = this.subjectOf(one, aim.languages);
      const worth =
        replaced === null
          ? sameness(subject, earlier, this.titleWords, answered.includes(one))
          : replaces(replaced, subject, earlier);
      // Without a word of correction, only the opposite takes its place.
      const isOpposite = subject.isAgainst !== earlier.isAgainst;
      return { one, worth: isExplicit || isOpposite ? worth : 0 };
    });
    const best = Math.max(0, ...rated.map(({ worth }) => worth));
    return mark(rated.flatMap(({ one, worth }) => (worth > 0 && worth === best ? [one] : [])));
  }
}

/** What a sentence may be about besides what it names. */
interface Aim {
  /** Languages of the text. */
  languages: readonly string[];
  /** Sentences that stand quoted before it. */
  quoted: readonly string[];
  /** The message that it answers, or that was written just before; null where Relay wrote last. */
  seq: number | null;
}

const NO_STATEMENTS = new Set<SectionTopic | null>(["environment", "checklist", "alternatives", "logs"]);

/** Code, a path or a file. */
const NAMES_PLACE = /[`/]|\w\.\w/;

/** Whom a sentence names, and which message its own answers. */
function targetOf({ replyToSeq }: ConversationMessage, sentence: string) {
  return { login: /(?<![\w.])@([\w-]+)/.exec(sentence)?.[1] ?? null, seq: replyToSeq };
}

/** Whether two texts share most words of the shorter one. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [significantWords(one), significantWords(other)];
  const fewer = Math.min(a.size, b.size);
  return fewer > 0 && shared(a, b) >= Math.max(Math.min(2, fewer), fewer * SAME);
}
