import { parseSpec } from "../../domain/spec-document/parse.ts";
import { isNegated } from "../../domain/issue-text/negation.ts";
import { anyOf } from "../../domain/issue-text/phrases.ts";
import { sameLogin } from "../../domain/login.ts";
import { leadsWithNo } from "../../domain/statements/rulings.ts";
import { withoutQuotations } from "../../approval/own-words.ts";
import { forbidsPlaces } from "../../domain/statements/places-meant.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import type { Translate } from "../../i18n/phrases.ts";
import type { SpecInput } from "../generator.ts";
import { statementsTakenUp } from "../validate/people.ts";
import { STAYS, WORKS } from "./bounds.ts";
import { conditionIn } from "./conditions.ts";
import { shared, significantWords } from "../../domain/text/significant-words.ts";
import { phrase, plain } from "./plain.ts";

/** Statements of people that nothing else in the spec says, each for the place where it belongs. */
export interface Heard {
  wishes: Statement[];
  /** What is out, and what stays as it is. */
  bounds: Statement[];
  stays: Statement[];
  decisions: Statement[];
  /** What the issue's own text wants to be done first, as far as it is the reporter's fix. */
  tried: Statement[];
  /** Facts that tell in which case the fault occurs. */
  cases: Statement[];
  facts: Statement[];
  /** Of people who do not decide: never more than an assumption. */
  hearsay: Statement[];
}

/** Words with which a fact narrows the case in which something happens. */
const NARROWS =
  /(?<![\p{L}])(?:only|when|if|unless|nur|wenn|sobald|falls|seulement|uniquement|quand|lorsque|si|solo|sólo|solamente|cuando|só|somente|apenas|quando|se|только|лишь|когда|если|при)(?![\p{L}])|只|仅|当|如果|场合|場合|だけ|のみ|とき/iu;

/** Characters of an answer that the Decision Log shows. */
const SHOWN_ANSWER = 150;

/** Words that `STAYS` leaves to the sentence around them. */
const KEEPS =
  /\b(?:keep|kept|stay|remain|preserve)|(?<![\p{L}])(?:bleib|behalt|behält|beibehalt|erhalten|gard|conserv|rest(?:e|er|ent)(?!\p{L})|mant[eéiê]|segu?i|sigu|perman|qued|fica|fique|continu|preserv|остав|остан|оста[её]|остать|сохран|прежне)|继续|保持|保留|仍|維持|残[しすっ]|引き続き|従来/iu;

function stays(statement: Statement): boolean {
  return !isHandsOff(statement) && (STAYS.test(statement.text) || KEEPS.test(statement.text));
}

/** Orders to leave something as it is: they limit the work, and nothing that the program does shows them. */
const HANDS_OFF = anyOf(
  "(?:leave|let) .{1,60} (?:alone|be|as (?:it|they) (?:is|are)|as[- ]is|untouched|unchanged|out of (?:it|this))|(?:do not|don['’]?t|never|please not|without) (?:touch|chang|edit|modify|alter|rewrit|renam)\\p{L}*|no changes? (?:to|in|at|of)|hands off|" +
    "(?:lass(?:t|en sie)?) .{1,60} (?:in ruhe|so,? wie|unverändert|unangetastet|stehen)|nicht (?:anfassen|ändern|verändern|bearbeiten|anrühren|umbauen)|keine änderung(?:en)? (?:an|in|am|im)|fass(?:t|en sie)? .{1,60} nicht an|finger weg|" +
    "ne (?:touche[zr]?|modifie[zr]?|change[zr]?) (?:pas|rien)|ne pas (?:toucher|modifier|changer)|sans toucher|laisse[zr]? .{1,60} (?:tel\\p{L}* quel\\p{L}*|tranquille|intact\\p{L}*)|" +
    "no (?:toques?|toquen|tocar|cambies?|cambiar|modifiques?|modificar|edites)|deja(?:d|r)? .{1,60} (?:como está\\p{L}*|en paz|intact\\p{L}+|tal cual)|sin tocar|ningún cambio en|" +
    "não (?:toque|mexa|mexer|mude|mudar|altere|alterar|modifique)|deixe .{1,60} (?:como está|em paz|intact\\p{L}+|quiet[oa])|sem (?:mexer|tocar)|" +
    "не (?:трога\\p{L}+|меня\\p{L}+|редактир\\p{L}+|правь\\p{L}*)|оставь(?:те)? .{1,60} (?:в покое|как есть|без изменений)",
  "(?:不要|别|请勿|勿)(?:动|改|碰|修改|改动|变更|编辑)|(?:触ら|変更し|変え|いじら|編集し)ないで",
);

/** Whether a comment’s sentence only orders to leave something as it is. */
export function isHandsOff({ message, text }: Pick<Statement, "message" | "text">): boolean {
  return message !== null && HANDS_OFF.test(text);
}

/** Share of its words with which a statement counts as said: its own line costs little. */
const NEARLY_ALL = 0.8;

/**
 * The statements that a draft leaves out. A message cited for one of its statements may hold others. A draft that names a
 * file does not say that nobody is to touch it.
 */
export function leftOut(
  draft: string,
  { statements, closedGaps }: Pick<SpecInput, "statements" | "closedGaps">,
  forbiddenIn: (statement: Statement) => readonly string[] = () => [],
): Statement[] {
  const own = statements.statements;
  const answers = closedGaps.flatMap(({ closedReason, closedNote }) =>
    closedReason === "answered" && closedNote !== null && closedNote.length <= SHOWN_ANSWER ? [closedNote] : [],
  );
  const perMessage = Map.groupBy(own, ({ message }) => message);
  return [...statementsTakenUp(parseSpec(draft), own)].flatMap(([statement, how]) => {
    const isOnly = perMessage.get(statement.message)?.length === 1;
    const isCited = how.isCited && (isOnly || answers.some((answer) => answer.includes(statement.text)));
    return (how.words >= NEARLY_ALL || isCited) && forbiddenIn(statement).length === 0 ? [] : [statement];
  });
}

/** Sorts statements to their places; one that says what another said before is left out. */
export function heardIn(
  statements: readonly Statement[],
  { isRequest, reporter, proposal }: { isRequest: boolean; reporter: string; proposal: string | null },
): Heard {
  // The issue's own text is what the spec is about, whoever wrote it; it has no message to cite.
  const hearsay = statements.filter(({ decides, message }) => !decides && message !== null);
  const of = (...kinds: Statement["kind"][]) =>
    statements.filter((one) => kinds.includes(one.kind) && !hearsay.includes(one));
  const wishes = [...of("wish"), ...of("decision").filter(({ message }) => message === null)];
  const tried = wishes.filter(({ text, message }) => message === null && proposal !== null && saysSame(text, proposal));
  // What a comment wants of something new is clear beside the other decisions, unless it names its own case.
  const isSettled = ({ message, text }: Statement) => isRequest && message !== null && !namesCase(text);
  const settledFacts = of("fact").filter((one) => isRequest && one.message !== null && one.author !== reporter);
  const loose = of("bound").filter((one) => one.message !== null && limitsOnly(one) && !stays(one));
  const decisions = [
    ...of("decision").filter(({ message }) => message !== null),
    ...wishes.filter((one) => isWay(one) || isSettled(one)),
    ...loose,
    ...settledFacts,
  ];
  const isCase = ({ text }: Statement) => !isRequest && NARROWS.test(text) && !WORKS.test(text);
  return {
    wishes: wishes.filter((one) => !tried.includes(one) && !decisions.includes(one)),
    bounds: of("bound").filter((one) => !stays(one) && !decisions.includes(one)),
    stays: of("bound").filter((one) => stays(one)),
    decisions: decisions.toSorted((a, b) => (a.message ?? 0) - (b.message ?? 0)),
    tried,
    cases: of("fact").filter(isCase),
    facts: of("fact").filter((one) => !isCase(one) && !decisions.includes(one)),
    // What a decision answers is told there.
    hearsay: hearsay.filter((one) => !decisions.some(({ text }) => text.includes(one.text))),
  };
}

/** Names the case that it is about: a condition, or a command of its own. */
function namesCase(text: string): boolean {
  return conditionIn(text) !== null || COMMAND.test(text);
}

const COMMAND = /`[a-z][\w./-]+ [^`]{2,}`/;

/** Sets limits to what is wanted, and leaves nothing out: “All GETs except /health.” */
function limitsOnly(one: Statement): boolean {
  return LIMITS.test(one.text) && !isNegated(one.text) && !isHandsOff(one) && !forbidsPlaces(one.text);
}

const LIMITS =
  /^(?:(?:yes|ja|oui|sí|sim|да)[,.:]?\s+)?(?:only|just|all|every|nur|alle|jede[rs]?|seulement|uniquement|toutes?|tous|solo|sólo|solamente|todos?|todas?|só|somente|apenas|только|все)(?!\p{L})|^(?:只|仅|所有)|のみ|だけ/iu;

/** Proposes how it is to be done: no outcome that a test could see. */
const WAY =
  /^(?:[^,.;]{3,60},\s+)?(?:so |then |but |and )?(?:i|we)(?:['’]d| would| also| rather| still)* (?:propose|suggest|recommend|vote|prefer|favou?r|go (?:with|for)|opt)(?!\p{L})|^(?:я |мы )?(?:предлага\p{L}+|советую)|^(?:ich|wir) (?:schlage|würde|plädiere|empfehle)\p{L}*|^(?:yo )?(?:propongo|sugiero|recomiendo)|^je (?:propose|suggère|recommande)|^(?:eu )?(?:proponho|sugiro|recomendo)|^(?:我)?(?:建议|提议)|(?:提案します|提案する)|^(?:changing|replacing|using|moving|removing|adding|renaming|wrapping|passing|calling|reverting) .{3,160} (?:should|would|will|could|might) (?:probably |also )?(?:work|fix|solve|help|suffice|be enough)/iu;

function isWay({ message, text }: Statement): boolean {
  return message !== null && WAY.test(text);
}

/** Whether two texts say the same in nearly the same words. */
export function saysSame(one: string, other: string): boolean {
  const [a, b] = [significantWords(one), significantWords(other)];
  const fewer = Math.min(a.size, b.size);
  return fewer > 1 && shared(a, b) >= fewer * NEARLY_ALL;
}

const MOST = 300;

/** A statement with the message to cite. */
export function quoted({ text, message }: Statement): string {
  return message === null ? phrase(text, MOST) : `${phrase(text, MOST)} (message ${message})`;
}

/** Who decided, in which message. */
export function contextOf({ author, message, agreedIn }: Statement, say: Translate<"spec">): string {
  const login = plain(author, 60);
  const by = message === null ? say("decided_in_issue", { login }) : `message ${message}: @${login}`;
  return agreedIn === null ? by : `${by}; ${say("agreed_in", { seq: agreedIn })}`;
}

/** What somebody without a say stated, as an assumption and what to do if it is wrong. */
export function assumptionOf({ kind, text, author, message }: Statement, say: Translate<"spec">): [string, string] {
  const slots = { text: phrase(text, MOST), login: plain(author, 60), seq: message ?? 0 };
  return kind === "fact"
    ? [say("hearsay_fact", slots), say("wrong_hearsay")]
    : [say("hearsay_wish", slots), say("wrong_hearsay_wish")];
}

/** Whether the first reply of somebody else who decides refuses what the issue asks for. */
export function isRefused({ messages, deciders, issue }: Pick<SpecInput, "messages" | "deciders" | "issue">): boolean {
  const people = messages.filter(({ role, isBot }) => role !== "self" && !isBot);
  const at = people.findIndex(({ seq, author }) => deciders.has(seq) && !sameLogin(author, issue.reporter));
  const first = people[at];
  if (first === undefined || people.slice(0, at).some(({ content }) => /[?？]/.test(content))) return false;
  const text = withoutQuotations(first.content).trim();
  return leadsWithNo(text) || REFUSES.test(text.slice(0, OPENING));
}

/** Characters of a reply that are read for a refusal. */
const OPENING = 300;
const REFUSES = anyOf(
  "-1|(?:not|n['’]t|never) (?:going to happen|happening|do (?:this|that|it)|change (?:this|that|it)|be (?:added|changed|implemented)|want (?:this|that|it))|wo(?:n['’]?t|nt) ?(?:fix|do|change|add|happen)|rather not|not (?:a bug|worth (?:it|doing))|there (?:is|are) no|(?:by design|on purpose)|i don['’]t see (?:the|a) (?:use|need|point)|(?:breaking|breaks?|break) (?:change|cron|people|scripts|existing|clients|everyone)|" +
    "kommt nicht in ?frage|(?:machen|wollen|ändern) wir nicht|lieber nicht|lieber als|pas question|on ne [^.]{2,40} (?:pas|jamais)|no (?:vamos a|queremos|lo vamos)|não (?:vamos|queremos|vejo)|не (?:будем|хотим|планируем|станем)",
  "不会(?:做|加|改)|不打算|不考虑|しません|対応しない|やりません",
);
