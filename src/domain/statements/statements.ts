import type { ConversationMessage } from "../conversation.ts";
import { NOT_NEEDED } from "../issue-text/aspect-words.ts";
import { tellsRightCase } from "../issue-text/aspects.ts";
import { proseSentences } from "../issue-text/prose-sentences.ts";
import { type IssueText, readIssue } from "../issue-text/issue-reading.ts";
import { type Block, blocksOf, plainText } from "../issue-text/markdown.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import { sectionsOf } from "../issue-text/sections.ts";
import type { SectionTopic } from "../issue-text/section-titles.ts";
import { withoutOrders } from "../issue-text/orders-in-text.ts";
import { sameLogin } from "../login.ts";
import { stripHiddenText } from "../text/hidden-text.ts";
import { detectLanguage } from "../text/language.ts";
import { withoutMail } from "../text/mail.ts";
import { setsOnlyValues } from "./overruling.ts";
import { forbidsPlaces } from "./places-meant.ts";
import { Ledger } from "./ledger.ts";
import { joinsOn, sentencesIn, stepsIn, withoutNo } from "./sentences-said.ts";
import { defines, readSentence } from "./sentence.ts";
import { tellsWhatRemains } from "./remaining.ts";
import { isShort, leadsWithNo, mayDecide, refusesUnnamed } from "./possible-decisions.ts";
import type { Aim, Said, Source, Statement } from "./statement.ts";

export interface Statements {
  /** In the order of the thread, the issue's own text first. */
  statements: Statement[];
  /** The comments of those who decide, with what they say in words that no rule knows. */
  possible: PossibleDecision[];
  /** Statements beyond the limits, and characters of messages that were not read. */
  omitted: { statements: number; characters: number };
}

/** What a message of somebody who decides may settle, sentence by sentence. */
export interface PossibleDecision extends Source {
  /** What its first sentence, of a few words, answers; null if that stands alone. */
  asked: string | null;
  sentences: string[];
  /** All that the message says, in its order. */
  all: readonly string[];
}

/** What is read of one message. */
interface Turn {
  source: Source;
  /** Somebody wrote before it. */
  isReply: boolean;
  sentences: string[];
  /** What it says of its own. */
  own: Said[];
  decision: PossibleDecision;
}

const MOST = { issue: 20, message: 12, possible: 40 };
/** Characters of a message that are read. */
const READ = 20_000;
/** Characters that tell the language of a text. */
const DETECTED = 2_000;

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
  const thread = new Thread(issue, messages, deciders);
  for (const message of messages) thread.read(message);
  return { statements: thread.ledger.found, possible: thread.possible, omitted: thread.ledger.omitted };
}

class Thread {
  readonly ledger: Ledger;
  readonly possible: PossibleDecision[] = [];
  private readonly language: string;
  private readonly deciders: ReadonlySet<string>;
  /** The logins of those who write, and their first names, by what is written for them. */
  private readonly names: ReadonlyMap<string, string>;
  /** What was said last before the present message, and by whom; null for Relay and bots. */
  private last: ConversationMessage | null = null;
  private readonly title: string;
  private readonly reporter: string;
  private readonly isRequest: boolean;

  constructor(
    issue: Omit<IssueText, "comments"> & { reporter: string },
    messages: readonly ConversationMessage[],
    deciders: ReadonlySet<string>,
  ) {
    this.deciders = deciders;
    this.title = issue.title;
    this.reporter = issue.reporter;
    this.ledger = new Ledger(issue.title);
    this.names = namesOf([issue.reporter, ...messages.map(({ author }) => author)]);
    const { sections, text, acceptanceCriteria, today, aspects, kind: issueKind } = readIssue(issue);
    this.isRequest = issueKind.kind === "feature";
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
          const isTold = issueKind.kind !== "feature" && tellsWhatRemains(sentence);
          if (kind === "bound" && (told.has(sentence) || isTold)) return [];
          if (kind === "wish" && (steps.has(sentence) || tellsRightCase(sentence))) return [];
          return [{ kind, text: own }];
        }),
      );
    this.ledger.keep([...criteria, ...others], source, MOST.issue);
  }

  read(message: ConversationMessage): void {
    const before = this.last;
    this.last = message.isBot || message.role === "self" ? null : message;
    if (this.last === null) return;
    const { author, seq, content } = message;
    this.ledger.omitted.characters += Math.max(0, content.length - READ);
    const text = withoutMail(stripHiddenText(content, { most: READ }).text);
    const languages = [...new Set([detectLanguage(text.slice(0, DETECTED)), this.language])];
    const source = { message: seq, author, decides: this.deciders.has(author.toLowerCase()) };
    const sentences: string[] = [];
    const decision = { ...source, asked: null, sentences: [], all: sentences };
    const turn: Turn = { source, isReply: before !== null, sentences, own: [], decision };
    const { blocks } = withoutOrders(blocksOf(text), this.title);
    const leftOut = leftOutIn(blocks);
    let quoted: string[] = [];
    for (const block of blocks) {
      if (block.kind !== "paragraph") continue;
      if (block.quoted) {
        quoted.push(...proseSentences([{ ...block, quoted: false }]).map((sentence) => plainText(sentence.text)));
        continue;
      }
      const item = leftOut.get(block.start);
      const aim = { languages, quoted, seq: message.replyToSeq ?? before?.seq ?? null };
      for (const sentence of sentencesIn([item ?? block])) this.hear(sentence, turn, item !== undefined, aim);
      quoted = [];
    }
    this.ledger.keep(turn.own, source, MOST.message);
    this.ledger.hear(message, turn.sentences);
    if (source.decides && this.possible.length < MOST.possible) this.possible.push(decision);
  }

  /** Takes what a sentence says of its own, or keeps it as a possible decision if somebody decides in other words. */
  private hear(sentence: string, turn: Turn, isLeftOut: boolean, aim: Omit<Aim, "login">): void {
    const { source, sentences, own, decision, isReply } = turn;
    sentences.push(sentence);
    const state = source.decides ? this.ledger.state() : 0;
    const said = this.readSentence(sentence, source, isLeftOut, own, aim);
    const isFirst = source.decides && sentences.length === 1;
    const asked = isFirst ? this.ledger.asked(source, { ...aim, login: null }) : null;
    if (source.decides) {
      const isRead = this.ledger.state() !== state || said.some(({ kind }) => kind === "bound" || kind === "decision");
      const answers = asked !== null && isShort(sentence, isQuestion(asked)) ? asked : null;
      const isOpen = !isRead && (said.length === 0 || (answers !== null && isQuestion(answers)));
      if (isOpen && this.keepsPossible(sentence, decision, answers, isReply)) return;
    }
    const isRefusal = asked !== null && refusesUnnamed(sentence);
    own.push(...(isRefusal ? said.map((one) => ({ ...one, text: `${asked} ${sentence}` })) : said));
  }

  /** Keeps a sentence that no rule could read, if it may settle something; a few words with what they answer. */
  private keepsPossible(sentence: string, decision: PossibleDecision, asked: string | null, isReply: boolean): boolean {
    // The name under a message.
    if (this.names.has(sentence.replaceAll(/^[-–—\s]+|[.,!\s]+$/g, "").toLowerCase())) return false;
    if (!mayDecide(sentence, { isAnswer: asked !== null, isDiscussed: this.isRequest || isReply })) return false;
    // Whoever reports and decides, too, settles what they are asked; else they comment on their own wish.
    const isReporter = sameLogin(decision.author, this.reporter);
    if (isReporter && (asked === null || !isQuestion(asked))) return false;
    decision.sentences.push(sentence);
    decision.asked ??= asked;
    return true;
  }

  /** What a sentence of a message says of its own; marks what it agrees to and what it takes back. */
  private readSentence(
    sentence: string,
    source: Source,
    isLeftOut: boolean,
    before: readonly Said[],
    context: Omit<Aim, "login">,
  ): Said[] {
    const named = sentence.replaceAll(NAME, (name) => this.names.get(name.toLowerCase()) ?? name);
    const bare = readSentence(sentence, context.languages);
    const byName = named === sentence ? bare : readSentence(named, context.languages);
    // “Ruth is right” agrees with @ruth.
    const isAboutPerson = byName.agrees && !bare.agrees;
    const read = isAboutPerson ? byName : bare;
    const login = /(?<![\w.])@([\w-]+)/.exec(isAboutPerson ? named : sentence)?.[1] ?? null;
    const aim = { ...context, login };
    const own = read.agrees && !leadsWithNo(sentence) ? this.ledger.agree(source, read.corrects, aim) : [];
    const isBound = isLeftOut || (read.kind !== "wish" && forbidsPlaces(sentence));
    const isDefined = source.decides && this.isRequest && (read.kind ?? "fact") === "fact" && defines(sentence);
    const kind = isBound ? "bound" : isDefined ? "wish" : read.kind;
    const concluded = kind === "bound" ? null : this.ledger.conclude(source, sentence, aim);
    if (concluded !== null && (concluded.length > 0 || kind === null || kind === "fact")) return [...own, ...concluded];
    const mayOverrule = source.decides && kind !== null && kind !== "fact" && !isLeftOut;
    const takes = read.corrects || mayOverrule;
    const isTaken = takes && this.ledger.takeBack(source, { ...read, kind }, sentence, aim);
    const text = withoutNo((isAboutPerson ? null : read.text) || sentence);
    // “Make it 14 days” is clear only beside what it takes the place of.
    const isValueAlone = isTaken && source.decides && setsOnlyValues(sentence, context.languages);
    if (kind !== null && !isValueAlone) return [...own, { kind, text }];
    if (isTaken && source.decides) return [...own, { kind: "decision", text }];
    const joins = source.decides && joinsOn(sentence) && ([...before, ...own].at(-1)?.kind ?? "fact") !== "fact";
    return joins ? [...own, { kind: "decision", text }] : own;
  }
}

const NO_STATEMENTS = new Set<SectionTopic | null>(["environment", "checklist", "alternatives", "logs"]);

/** The items of what a message leaves out, without the label before them, by where they start. */
function leftOutIn(blocks: readonly Block[]): Map<number, Block> {
  const sections = sectionsOf(blocks).filter(({ topic }) => topic === "left_out");
  return new Map(sections.flatMap((section) => section.blocks.map((block) => [block.start, block])));
}

/** A word that may be somebody's name. */
const NAME = /(?<![A-Za-z0-9@_`/.-])[A-Za-z][A-Za-z0-9-]{2,38}/g;

/** How people name those who write here: by login, or by its first part. */
function namesOf(logins: readonly string[]): Map<string, string> {
  return new Map(
    logins.flatMap((login) => {
      const [first = ""] = login.split(/[-_.\d]/);
      return [login, ...(first.length > 2 ? [first] : [])].map((name) => [name.toLowerCase(), `@${login}`]);
    }),
  );
}
