import type { ConversationMessage } from "../conversation.ts";
import { sameLogin } from "../login.ts";
import { shared, significantWords } from "../text/significant-words.ts";
import { isQuestion } from "../issue-text/sentences.ts";
import { cutAtWord } from "../../lib/text.ts";
import { type Subject, isAgainst, isSame, repeats, sameness, subjectOf } from "./overruling.ts";
import { isRival } from "./rival-values.ts";
import { takenBackBy } from "./taking-back.ts";
import { bareIn, chosenIn, hasAll, isProposal, leavesOpen, withoutSoftener } from "./concluding.ts";
import { type ReadSentence, onlyAsksForFix } from "./sentence.ts";
import type { Aim, Heard, Said, Source, Statement } from "./statement.ts";

const MOST_ALL = 300;
/** Characters of a statement that are kept. */
const LONGEST = 400;
const [FAR, NEAR] = [12, 4];

/** What has been said so far, and what of it still holds. */
export class Ledger {
  readonly found: Statement[] = [];
  readonly omitted = { statements: 0, characters: 0 };
  private readonly seen = new Set<string>();
  private readonly title: string;
  private readonly titleWords: ReadonlySet<string>;
  private readonly subjects = new Map<Statement, Subject>();
  private readonly heard: Heard[] = [];

  constructor(title: string) {
    this.title = title;
    this.titleWords = significantWords(title);
  }

  keep(said: readonly Said[], source: Source, most: number): void {
    const fresh = said.filter(({ kind, text }) => {
      if (kind === "wish" && onlyAsksForFix(text, this.title) && !NAMES_PLACE.test(text)) return false;
      const key = `${source.author.toLowerCase()}\n${text.toLowerCase()}`;
      return !this.seen.has(key) && this.seen.add(key);
    });
    const kept = fresh.slice(0, Math.max(0, Math.min(most, MOST_ALL - this.found.length)));
    this.omitted.statements += fresh.length - kept.length;
    for (const { kind, text } of kept) {
      this.found.push({ kind, text: cutAtWord(text, LONGEST), ...source, agreedIn: null, supersededBy: null });
    }
  }

  hear({ seq, author, replyToSeq }: ConversationMessage, sentences: readonly string[]): void {
    const answers = replyToSeq ?? this.heard.findLast((one) => !sameLogin(one.author, author))?.seq ?? null;
    this.heard.push({ seq, author, answers, sentences });
  }

  /**
   * Makes what somebody agreed to a decision: what they quoted, else what the person they name or answer said, else what
   * was said just before. It then stands against what it contradicts. A quotation of something unknown becomes their own
   * decision, which is returned.
   */
  agree({ message, author, decides }: Source, isConcession: boolean, aim: Aim): Said[] {
    if (!decides) return [];
    const opinions = this.found.filter(
      (one) => one.supersededBy === null && one.kind !== "fact" && !sameLogin(one.author, author),
    );
    if (aim.quoted.length > 0) {
      const same = opinions.filter(({ text }) => aim.quoted.some((quote) => isSame(text, quote)));
      const unknown = aim.quoted.filter((quote) => !this.found.some(({ text }) => isSame(text, quote)));
      for (const one of same) settle(one, message);
      return same.length > 0 ? [] : unknown.slice(0, 3).map((text) => ({ kind: "decision", text }));
    }
    const of = this.answered(aim);
    const agreed = opinions.filter((one) => one.message !== null && one.message === of);
    for (const one of agreed) settle(one, message);
    const heard = this.heard.find(({ seq }) => seq === of);
    if (heard === undefined || sameLogin(heard.author, author)) return [];
    const proposal = agreed.length > 0 ? null : (heard.sentences.findLast(isProposal) ?? null);
    if (proposal !== null) this.decide(proposal, heard, message);
    if (isConcession) this.overrule(message, heard, [...agreed.map(({ text }) => text), proposal ?? ""].join(" "), aim);
    return [];
  }

  /**
   * Hears what a sentence takes of what others said: “0 then”, “OK, substring.” What they said becomes the decision, or
   * their question with these words; it stands against what was said before. Returns what is the author's own decision;
   * null if the sentence takes nothing.
   */
  conclude(source: Source, sentence: string, aim: Aim): Said[] | null {
    if (!source.decides) return null;
    const plain = withoutSoftener(sentence);
    const bare = aim.seq === null ? null : bareIn(plain, aim.languages);
    const chosen = chosenIn(plain, aim.languages) ?? bare;
    const words = significantWords(chosen ?? "");
    if (chosen === null || words.size === 0 || isAgainst(chosen)) return null;
    const says = (text: string) => shared(words, significantWords(text)) === words.size && hasAll(text, chosen);
    const isNear = ({ seq }: Heard) => (bare === null ? true : seq === this.answered(aim));
    const heard = this.heard
      .slice(-FAR)
      .findLast((one) => isNear(one) && !sameLogin(one.author, source.author) && one.sentences.some(says));
    const taken = heard?.sentences.findLast(says);
    if (heard === undefined || taken === undefined) return null;
    const theirs = this.found.filter(
      (one) => one.message === heard.seq && one.supersededBy === null && taken.includes(one.text),
    );
    const open = leavesOpen(taken);
    if (open === "reader") return null;
    this.overrule(source.message, heard, open === null ? chosen : `${chosen}?`, aim, theirs);
    const isClear = open === null && (isProposal(taken) || theirs.some(({ kind }) => kind !== "fact"));
    if (isClear) {
      this.decide(taken, heard, source.message);
      return [];
    }
    for (const one of theirs) {
      if (one.kind === "fact") Object.assign(one, { decides: true, agreedIn: source.message });
      else one.supersededBy = source.message;
    }
    return [{ kind: "decision", text: bare === null && repeats(sentence, taken) ? sentence : `${taken} ${sentence}` }];
  }

  /** Makes what somebody said a decision that another agreed to; what was no statement becomes one. */
  private decide(text: string, { seq, author }: Heard, agreedIn: number | null): void {
    const own = this.found.filter(
      (one) => one.message === seq && (text.includes(one.text) || one.text.includes(text)) && one.supersededBy === null,
    );
    for (const one of own) settle(one, agreedIn);
    if (own.length > 0) return;
    const at = this.found.findLastIndex(({ message }) => (message ?? -1) <= seq) + 1;
    const statement = {
      kind: "decision",
      text: cutAtWord(text, LONGEST),
      message: seq,
      author,
      decides: true,
    } as const;
    this.found.splice(at, 0, { ...statement, agreedIn, supersededBy: null });
  }

  /** Marks what stands against something that was said in a message, and that somebody who decides now prefers. */
  private overrule(
    by: number | null,
    { seq, answers }: Heard,
    text: string,
    aim: Aim,
    except: readonly Statement[] = [],
  ) {
    const words = significantWords(text);
    const subject = subjectOf(text, aim.languages);
    const rated = this.found
      .filter(
        (one) =>
          one.supersededBy === null &&
          one.kind !== "fact" &&
          one.message !== by &&
          (one.message ?? -1) < seq &&
          !except.includes(one),
      )
      .map((one) => ({
        one,
        worth: sameness(subject, this.subjectOf(one, aim.languages), this.titleWords, one.message === answers),
        common: shared(words, significantWords(one.text)),
      }))
      .filter(({ common }) => common < words.size);
    const best = Math.max(0, ...rated.map(({ worth }) => worth));
    // Where several have a value like that, it is the one that speaks of the same.
    const valued = rated.filter(({ one }) => isRival(text, one.text, true));
    const near = Math.max(0, ...valued.map(({ common }) => common));
    const rivals = valued.filter(({ common }) => common === near);
    const isAnswer = answers !== null && !isQuestion(text);
    const answered = isAnswer ? rated.filter(({ one }) => one.message === answers) : [];
    const most = Math.max(1, ...rated.map(({ common }) => common));
    const related = rated.filter(({ common }) => common === most);
    const found = [best > 0 ? rated.filter(({ worth }) => worth === best) : [], rivals, related, answered];
    const [taken] = found.find((some) => some.length === 1) ?? [];
    if (taken !== undefined) taken.one.supersededBy = by;
  }

  /** Changes with each statement, and with each that is agreed to or taken back. */
  state(): number {
    return this.found.reduce((sum, one) => sum + (one.supersededBy ?? one.agreedIn ?? 0) + 1, 0);
  }

  /** What a reply answers: the last question or proposal of whom it answers, its author's own question, else what was said last. */
  asked({ author }: Source, aim: Aim): string | null {
    const seq = this.answered(aim);
    const heard = this.heard.find((one) => one.seq === seq);
    if (heard === undefined || sameLogin(heard.author, author)) return null;
    const own = this.heard
      .slice(-NEAR)
      .findLast((one) => sameLogin(one.author, author))
      ?.sentences.findLast(isQuestion);
    const { sentences } = heard;
    return sentences.findLast(isQuestion) ?? own ?? sentences.findLast(isProposal) ?? sentences.at(-1) ?? null;
  }

  private subjectOf(one: Statement, languages: readonly string[]): Subject {
    const known = this.subjects.get(one) ?? subjectOf(one.text, languages);
    this.subjects.set(one, known);
    return known;
  }

  /** The message that a sentence answers: the last one of the person whom it names that says something. */
  private answered({ login, seq }: Aim): number | null {
    if (login === null) return seq;
    const theirs = this.found.filter(({ kind, supersededBy }) => kind !== "fact" && supersededBy === null);
    const said = theirs.findLast((one) => one.message !== null && sameLogin(one.author, login));
    return said?.message ?? this.heard.findLast(({ author }) => sameLogin(author, login))?.seq ?? null;
  }

  /**
   * Marks what a sentence takes back: what its author said, or, if they decide, what anybody said. It is what speaks most
   * clearly of the same, else the one statement that the sentence answers; what is unclear stays. Returns whether there is any.
   */
  takeBack(source: Source, read: ReadSentence, sentence: string, aim: Aim): boolean {
    if (this.takeBackBy(source, read, sentence, aim, true)) return true;
    const clauses = sentence.split(/\s*[,;:，；：、]\s*|\s+[–—-]\s+/u);
    return clauses.length > 1 && clauses.filter((one) => this.takeBackBy(source, read, one, aim, false)).length > 0;
  }

  private takeBackBy(source: Source, read: ReadSentence, text: string, aim: Aim, isWhole: boolean): boolean {
    const answers = this.answered(aim);
    const isReply = this.heard.some(({ seq, author }) => seq === answers && !sameLogin(author, source.author));
    const before = { found: this.found, title: this.titleWords, subjectOf: this.subjectOf.bind(this) };
    const taken = takenBackBy({ source, read, text, aim, isWhole, answers, isReply }, before);
    for (const one of taken) one.supersededBy = source.message;
    return taken.length > 0;
  }
}

/** Makes a statement a decision that somebody agreed to. */
function settle(one: Statement, agreedIn: number | null): void {
  Object.assign(one, { kind: "decision", decides: true, agreedIn });
}

/** Code, a path or a file. */
const NAMES_PLACE = /[`/]|\w\.\w/;
