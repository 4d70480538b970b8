import { anyOf } from "../../domain/issue-text/phrases.ts";
import { isNegated } from "../../domain/issue-text/negation.ts";
import { isNamed } from "../../domain/statements/file-names.ts";
import { placesMeant } from "../../domain/statements/places-meant.ts";
import { sameLogin } from "../../domain/login.ts";
import { readSentence } from "../../domain/statements/sentence.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import { WRITTEN_LANGUAGES } from "../../i18n/phrases.ts";
import { readReply } from "../../approval/read-reply.ts";
import { withoutOverruled } from "./overruled.ts";
import type { WantedDocument } from "../documents.ts";
import type { SpecInput } from "../generator.ts";
import type { SpecFacts } from "./facts.ts";
import type { Place } from "./places.ts";

/** What the discussion leaves of the work, beside the places that were found. */
interface WorkLeft {
  /** A question was answered, and nothing asks for a change: nothing is to be built. */
  isAnswered: boolean;
  /** Only documents are to change. */
  codeStays: boolean;
  /** Documents that those who decide want to be written or changed. */
  documents: readonly WantedDocument[];
}

export type FactsOfWork = SpecFacts & WorkLeft;

/** Whether nothing is to be built. */
export function isNothing({ isDeclined, isAnswered }: Pick<FactsOfWork, "isDeclined" | "isAnswered">): boolean {
  return isDeclined || isAnswered;
}

/**
 * What is left of the work after the discussion. Of what was declined nothing is: what the issue asked for is told where the
 * problem is, and is no case, no place and no bound. Of a question, what those who decide name in their answers.
 */
export function workLeft(found: SpecFacts, input: SpecInput): FactsOfWork {
  const facts = withoutOverruled(found, input);
  if (facts.isDeclined) return { ...withoutWork(facts), isAnswered: false, codeStays: false, documents: [] };
  const { documents } = input;
  const answers = answersIn(input);
  const codeStays = documents.length > 0 && answers.some(({ content }) => keepsCode(content));
  if (facts.kind !== "question" || !facts.isDiscussed)
    return {
      ...facts,
      ...(codeStays ? { places: [], tests: [], calls: [] } : {}),
      isAnswered: false,
      codeStays,
      documents,
    };
  const named = answers.map(({ content }) => placesMeant(content));
  const isMeant = ({ path, symbol }: Place) =>
    named.some(({ paths, symbols }) => isNamed(path, paths) || (symbol !== null && symbols.includes(symbol)));
  const left = codeStays ? [] : facts.places.filter(isMeant);
  const isAnswered = left.length === 0 && documents.length === 0 && facts.wished.size === 0 && endsHere(input, answers);
  const asked = {
    ...facts,
    assumptions: [],
    places: left,
    docs: [],
    tests: left.length > 0 ? facts.tests : [],
    calls: [],
  };
  return { ...(isAnswered ? withoutWork(asked) : asked), isAnswered, codeStays, documents };
}

function withoutWork(facts: SpecFacts): SpecFacts {
  const { decisions } = facts.heard;
  return {
    ...facts,
    criteria: [],
    requests: [],
    assumptions: [],
    bounds: { inside: [], outside: [], unchanged: [] },
    heard: {
      wishes: [],
      bounds: [],
      stays: [],
      decisions: decisions.filter(({ message }) => message !== null),
      tried: [],
      cases: [],
      facts: [],
      hearsay: [],
    },
    places: [],
    docs: [],
    tests: [],
    wished: new Map(),
    put: [],
    calls: [],
  };
}

type Messages = SpecInput["messages"];

/** What those who decide said, but for the one who asks, and for the go-ahead. */
function answersIn({ messages, deciders, goAheads, issue }: SpecInput): Messages {
  return messages.filter(
    ({ seq, author }) => deciders.has(seq) && !goAheads.has(seq) && !sameLogin(author, issue.reporter),
  );
}

/** Whether the answers ask for nothing, or whoever asked found that they help. */
function endsHere({ messages, goAheads, statements, issue }: SpecInput, answers: Messages): boolean {
  if (answers.some(({ content }) => A_BUG.test(content.replaceAll(/`[^`]*`/g, "…")))) return false;
  const last = messages.findLast(({ seq, author }) => sameLogin(author, issue.reporter) && !goAheads.has(seq));
  if (last !== undefined && last.seq > (answers.at(-1)?.seq ?? 0) && HELPED.test(last.content.trim())) return true;
  // A yes may be one to a request in the form of a question.
  const [first = ""] = sentencesOf(answers.at(-1)?.content ?? "").map(({ text }) => text);
  if (readReply(answers.at(-1)?.content ?? "").kind === "approve") return false;
  if (readSentence(first, WRITTEN_LANGUAGES).agrees) return false;
  const seqs = new Set(answers.map(({ seq }) => seq));
  return !statements.statements.some(({ message, kind }) => message !== null && seqs.has(message) && kind !== "fact");
}

/** An answer that calls it a fault asks for its repair. */
const A_BUG = anyOf(
  String.raw`bugs?|defects?|defekt|fehler|défaut|erreur|error|defecto|erro|defeito|баг\p{L}*|ошибк\p{L}*`,
  "缺陷|错误|バグ|不具合",
);

/** “Works, thanks!” */
const HELPED =
  /^(?:(?:thanks|thank you|danke|merci|gracias|obrigad[oa]|спасибо|great|yes|yep|ja|oui|sí|sim|да|that|it|this|now|das|es|jetzt|ça|cela|eso|ahora|isso|agora|это|теперь|всё)[\s,.!]+)*(?:work(?:s|ed)|solved|did (?:it|the trick)|helped|funktioniert|klappt|geht|hat geholfen|gelöst|fonctionne|marche|résolu|funcion(?:a|ó|ou)|resuelto|solucionado|resolvid[oa]|работает|заработало|помогло|решено)(?![\p{L}\p{N}])|^(?:谢谢[，,！!。]?)?(?:可以了|好了|成功了|解决了)|^(?:ありがとうございます[。、！]?)?(?:動きました|できました|解決しました)/iu;

/** Whether a clause says that the code is not to change. */
function keepsCode(content: string): boolean {
  return content
    .split(/[.,;:!?()\n。，、；：！？]/)
    .some(
      (clause) =>
        CODE.test(clause) &&
        CHANGES.test(clause) &&
        (isNegated(clause) || clause.includes("ません")) &&
        !clause.includes("`"),
    );
}

const CODE = anyOf(String.raw`code\p{L}*|c[oó]dig[oe]|codice|код[ае]?`, "代码|コード");
const CHANGES = /chang|änder|cambi|modif|mudan|alter|измен|меня|改|変更/iu;
