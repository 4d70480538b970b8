import type { Gap } from "../domain/gap.ts";
import { clausesOf, wordsOf } from "./clauses.ts";
import { wholePhrase } from "../domain/issue-text/phrases.ts";
import { isNegative, readReply } from "./read-reply.ts";

/**
 * What a reply to one question is: `agreed` to what Relay proposed to assume, `nothing` that settles it, or an `answer`
 * in its own words. A bare yes or no never is the answer of a question that asks for more.
 */
export type AnswerKind = "answer" | "agreed" | "nothing";

type Asked = Pick<Gap, "topic" | "severity" | "proposedDefault">;

export function answerKind({ topic, severity, proposedDefault }: Asked, text: string): AnswerKind {
  if (asksBack(text)) return "nothing";
  const bare = bareReply(text);
  if (bare === null) return "answer";
  // What is assumed for a blocking question would be a guess: that needs a go-ahead (R-PLAN-8).
  const mayAgree = severity !== "blocking" && (proposedDefault ?? "").trim() !== "";
  if (bare === "yes" && mayAgree) return "agreed";
  // A question without a topic is a model's or an agent's, which may ask for a yes or a no.
  // The rules' only blocking question about the result is whether anything is to change.
  const mayRefuse = topic === "acceptance" && severity === "blocking" && bare === "no";
  const takesYesOrNo = topic === null || mayRefuse || (topic === "compatibility" && bare !== "polite");
  return takesYesOrNo ? "answer" : "nothing";
}

/** Longer words tell more than that their author cannot or will not answer. */
const LONGEST_NOTHING = 80;

/** “Why do you ask?”; “how about three?” proposes something. */
const BACK =
  /^(?:(?:sorry|hm+|well|and|but|и|а|und|y|et|e)[, ]+)?(?:(?:why|what|which|who|where|when|how)(?! (?:about|if\b)|['’]?s wrong with| not )|(?:do|did) you mean|are you|(?:can|could) you (?:explain|clarify|rephrase|repeat)|warum|wieso|weshalb|was|welche[rsn]?|wer|wo|wann|wie(?! wäre)|por ?qu[eéê]|qu[eéê]|qué|cu[aá]l|c[oó]mo|pourquoi|quoi|quel(?:le)?s?|comment|qu['’]est|o que|qual|como|почему|зачем|что|какой|какая|какие|как|где|когда)(?!\p{L})[^?]{0,70}\?+$|^(?:为什么|什么|哪|怎么|你(?:是指|的意思)|なぜ|どうして|何|どの|どういう)[^?？]{0,40}[?？]+$/iu;
/** That its author does not know, or does not want to say. */
const UNKNOWN = wholePhrase({
  spaced: [
    "(?:(?:sorry|hm+|well|honestly)[, ]+)?(?:i (?:really |honestly )?(?:don['’]?t|do not|dont) (?:really )?(?:know|remember)|i have no (?:idea|clue)|no (?:idea|clue)|dunno|idk|(?:i['’]?m |i am )?not sure|who knows|can['’]?t (?:say|tell|remember)|i (?:can(?:no|['’])t|could(?:n['’]t| not)) (?:say|tell|remember))(?: (?:that|this|it|yet|sorry|right now|at the moment))*",
    "(?:i (?:will not|won['’]?t|would rather not|['’]d rather not) (?:tell|say|answer)(?: (?:you|that|this))*|(?:that['’]?s |it['’]?s )?none of your business(?:[, ]+drop it)?|drop it|no comment|never ?mind)",
    "(?:das )?(?:weiß|weiss) ich (?:leider |auch )?nicht|(?:ich )?(?:weiß|weiss) (?:es |das )?(?:leider )?nicht|keine ahnung|k\\. ?a\\.|bin (?:mir )?nicht sicher|(?:das )?(?:sage|verrate) ich (?:dir |euch |ihnen )?nicht|kein kommentar|geht dich nichts an",
    "no (?:lo )?s[eé]|ni idea|no tengo (?:ni )?idea|no estoy segur[oa]|no (?:te )?lo (?:voy a decir|diré)",
    "(?:je )?(?:ne )?sais pas|j['’]?en sais rien|aucune idée|je ne suis pas sûre?|je ne (?:le )?dirai pas",
    "(?:eu )?não sei|sei lá|não faço ideia|não tenho (?:certeza|ideia)|não vou dizer",
    "(?:я )?(?:точно )?не (?:знаю|помню|уверен|уверена)|без понятия|понятия не имею|не скажу",
  ],
  unspaced: [
    "(?:我)?(?:不知道|不清楚|不确定|不记得)(?:了)?",
    "(?:よく)?(?:わかりません|分かりません|知りません|わからない|分からない|覚えていません)",
  ],
});

/** Whether words only ask back, or say that there is no answer: what is open stays open. */
function asksBack(text: string): boolean {
  const own = (wordsOf(text) ?? "").trim();
  if (own === "" || own.length > LONGEST_NOTHING) return false;
  return BACK.test(own) || UNKNOWN.test(own.replace(/[\s.!…。！]+$/u, ""));
}

/** Whether an answer says no, and nothing beyond it. */
export function isBareNo(text: string): boolean {
  return bareReply(text) === "no";
}

/** The longest word that is a bare no; longer ones, such as “don't crash”, say what is wanted. */
const LONGEST_NO = 5;

function bareReply(text: string): "yes" | "no" | "polite" | null {
  const { kind } = readReply(text);
  if (kind === "approve") return "yes";
  const clauses = clausesOf(wordsOf(text) ?? "");
  if (kind === "thanks") return clauses.length > 0 ? "polite" : null;
  if (kind !== "reject" && kind !== "stop") return null;
  const isBare = clauses.every(
    (clause) =>
      clause.kind === "polite" || (isNegative(clause) && /^\S+$/.test(clause.text) && clause.text.length <= LONGEST_NO),
  );
  return isBare ? "no" : null;
}
