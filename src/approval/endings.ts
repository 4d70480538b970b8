import { isQuestion, sentencesOf } from "../domain/issue-text/sentences.ts";
import { anyWord } from "../domain/statements/words.ts";
import { containsYes, onlyRefuses, readReply, refusalIn } from "./read-reply.ts";

/** A no to the whole, and nothing else: “No, sorry.”, “Never mind, I found it.” */
export function isRefusal(content: string): boolean {
  const { kind } = readReply(content);
  return (kind === "reject" || kind === "stop") && !NAMES_VALUE.test(content) && onlyRefuses(content);
}

/** “No, exit code 3” says what instead. */
const NAMES_VALUE = /(?<!#)(?<!\p{L})\d|`/u;

/** Words that refuse the whole, put it off, take it back, or call it done, a duplicate, or as it should be. */
const ENDS = anyWord("ends");
/** Words that take something on: “let's add it”. */
const ACCEPTS = anyWord("accepts");
/** Words about a part of it: “the third is out of scope”, “1 yes, 3 later”. */
const PARTLY = anyWord("partly");
const NUMBERED = /(?<![\p{L}\p{N}.#-])1[.):、]?\s?\p{L}.*(?<![\p{L}\p{N}.#-])[2-9][.):、]?\s?\p{L}/su;
/** Characters; whoever writes more says how. */
const LONGEST = 400;

/** Whether a message may end the issue that it is about; a yes in it says otherwise, and so do words about a part. */
export function mayEnd(content: string): boolean {
  return isOfAll(content) && ENDS.test(statedIn(content));
}

/**
 * The same for a request, of words that sound like a refusal: they speak of it or of their writer, and tell nothing to
 * build, neither a value nor a rule.
 */
export function mayRefuse(content: string): boolean {
  const isNo = refusalIn(statedIn(content)) === "clear" && OF_IT.test(content);
  return isNo && isOfAll(content) && !TELLS_HOW.test(content);
}

const OF_IT = anyWord("ofIt");
/** Code, a number that is no issue and no version, a rule, what is to be done instead. */
const TELLS_HOW =
  /`|[:：]|(?<![\p{L}\p{N}#.-])\d+(?!\.?[\p{N}])|(?<!\p{L})(?:must|should|only|instead|muss|müssen|soll\p{L}*|nur|stattdessen|debe\p{L}*|solo|sólo|doit|doivent|seulement|deve\p{L}*|só|apenas|долж\p{L}+|только)(?!\p{L})|必须|只|应|べき|だけ/iu;

function isOfAll(content: string): boolean {
  const isTaken = containsYes(content) || ACCEPTS.test(content);
  return content.length <= LONGEST && !isTaken && !PARTLY.test(content) && !NUMBERED.test(content);
}

/** A text without its questions. */
function statedIn(content: string): string {
  return sentencesOf(content)
    .flatMap(({ text }) => (isQuestion(text) ? [] : [text]))
    .join(" ");
}
