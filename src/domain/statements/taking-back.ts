import { sameLogin } from "../login.ts";
import {
  type Subject,
  addsTo,
  isOnlyNo,
  isSame,
  replacedIn,
  replaces,
  sameness,
  saysSame,
  subjectOf,
} from "./overruling.ts";
import { staysInPart } from "./places-meant.ts";
import { besideValues, hasReplaced, isRival, sharedBeside } from "./rival-values.ts";
import type { ReadSentence } from "./sentence.ts";
import type { Aim, Source, Statement } from "./statement.ts";

/** A sentence, or a clause of it, that may take back what was said before. */
interface Correction {
  source: Source;
  /** What the whole sentence says. */
  read: ReadSentence;
  text: string;
  aim: Aim;
  isWhole: boolean;
  /** The message that it answers, and whether somebody else wrote that. */
  answers: number | null;
  isReply: boolean;
}

/** What was said before. */
interface Before {
  found: readonly Statement[];
  /** Words of the title. */
  title: ReadonlySet<string>;
  subjectOf: (one: Statement, languages: readonly string[]) => Subject;
}

/** The statements that a sentence takes back: those that speak most clearly of the same, else the one that it answers. */
export function takenBackBy(correction: Correction, before: Before): Statement[] {
  const { source, read, text, aim } = correction;
  const replaced = replacedIn(text);
  const isExplicit = (correction.isWhole && read.corrects) || replaced !== null;
  const mayBe = before.found.filter((one) => mayTakeBack(correction, one, replaced, isExplicit));
  const answered = answeredAmong(mayBe, correction);
  const subject = subjectOf(text, aim.languages);
  if (subject.words.size === 0) return takenUnnamed(correction, mayBe, answered);
  if (addsTo(text)) return [];
  const fresh = isExplicit ? mayBe : saidSinceTheSame(mayBe, subject, before, aim.languages);
  const rest = besideValues(subject.words, text, replaced);
  const clearness = mayBe.map((one) => {
    const isAnswer = answered.includes(one);
    const isNear = isAnswer || isOwn(one, source) || replaced !== null;
    const changesValue = isRival(text, one.text) && hasReplaced(replaced, one.text);
    const ofValue = changesValue ? sharedBeside(rest, one.text, isNear) : 0;
    const earlier = before.subjectOf(one, aim.languages);
    // Without a word of correction, only the opposite takes its place.
    const isOpposite = subject.isAgainst !== earlier.isAgainst && (read.kind !== "wish" || !one.decides);
    if (!fresh.includes(one) || !(isExplicit || isOpposite)) return ofValue;
    const ofSubject =
      replaced === null ? sameness(subject, earlier, before.title, isAnswer) : replaces(replaced, subject, earlier);
    return Math.max(ofSubject, ofValue);
  });
  const best = Math.max(0, ...clearness);
  return mayBe.filter((_, at) => best > 0 && clearness[at] === best);
}

function isOwn(one: Statement, { author }: Source): boolean {
  return one.message !== null && sameLogin(one.author, author);
}

/** Whether a sentence could take back a statement: one of its author's, or, if they decide, of anybody. */
function mayTakeBack(
  { source, read, text }: Correction,
  one: Statement,
  replaced: ReadonlySet<string> | null,
  isExplicit: boolean,
): boolean {
  if (one.supersededBy !== null || [one.message, one.agreedIn].includes(source.message)) return false;
  if (one.kind === "bound" && staysInPart(one.text, text)) return false;
  if (isOwn(one, source)) return true;
  // A mere wish only stands against what others said who do not decide.
  if (read.kind === "wish" && !read.corrects && replaced === null && one.decides) return false;
  return source.decides && read.kind !== "fact" && one.kind !== "fact" && (isExplicit || one.message !== null);
}

/** What a sentence quotes, else what the message says that it answers. */
function answeredAmong(mayBe: readonly Statement[], { aim, answers }: Correction): Statement[] {
  const quoted = mayBe.filter(({ text }) => aim.quoted.some((quote) => isSame(text, quote)));
  if (quoted.length > 0) return quoted;
  return mayBe.filter((one) => answers !== null && [one.message, one.agreedIn].includes(answers));
}

/** “Forget that” takes back the one statement that it answers, else the one that its author made last. */
function takenUnnamed(
  { source, read, text, isWhole, isReply }: Correction,
  mayBe: readonly Statement[],
  answered: Statement[],
): Statement[] {
  if (!isWhole || !read.corrects || read.agrees || isOnlyNo(text)) return [];
  const own = mayBe.filter((one) => isOwn(one, source));
  // “No, leave that” to somebody's question takes back nothing that was said before it.
  const near = answered.length > 0 || isReply ? answered : own.filter((one) => one.message === own.at(-1)?.message);
  return near.length === 1 ? near : [];
}

/** Whoever says the same once more takes back nothing that was said before, or beside it. */
function saidSinceTheSame(
  mayBe: readonly Statement[],
  subject: Subject,
  { found, subjectOf: earlier }: Before,
  languages: readonly string[],
): Statement[] {
  const at = found.findLastIndex(
    (one) => one.decides && one.supersededBy === null && saysSame(subject, earlier(one, languages)),
  );
  return mayBe.filter((one) => found.indexOf(one) > at && one.message !== found[at]?.message);
}
