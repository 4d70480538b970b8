import { anyWord, beginsWith } from "./words.ts";

/** Words of a limit, which may be one of the work or a property of its result: “without”, “only”, “must not”. */
const LIMITS = anyWord("limit");
/** Those that say how the result is to be: how much at most, what must not happen in it. */
const OF_RESULT = anyWord("ofResult");
/** What a program does, and not whoever changes it: “never overwrite a file”, “don't print the sum”. */
const OF_PROGRAM = anyWord("ofProgram");

/** Somebody or something is not able to: it is so, and nobody orders it. */
const UNABLE = anyWord("unable");
/** “We cannot”, “it must not”: the writer speaks of the work. */
const OF_WRITER = beginsWith("ofWriter");
/** Speaks of the work: its scope, what people may touch in it, what it may bring in. */
const WORK = anyWord("ofWork");
/** Something there is stays so. */
const KEEPS = anyWord("keeps");

/** What a sentence that has the words of a bound says: how the work or its result is limited, or what is not possible. */
export type Limit = "work" | "result" | "either" | "unable";

/** Reads the clause around each of the words of a bound in a sentence: where one limits the work, they all do. */
export function limitIn(sentence: string, bounds: RegExp): Limit {
  let least: Limit | null = null;
  for (const { index, 0: found } of sentence.matchAll(bounds)) {
    const before =
      sentence
        .slice(Math.max(0, index - CLAUSE), index)
        .split(CLAUSE_ENDS)
        .at(-1) ?? "";
    const [after = ""] = sentence.slice(index + found.length, index + found.length + CLAUSE).split(CLAUSE_ENDS, 1);
    const own = `${found}${after}`;
    const isOfResult = OF_RESULT.test(`${before}${found}`);
    const isOfProgram = OF_PROGRAM.test(`${before}${own}`);
    if (KEEPS.test(own)) return "work";
    if (tellsInability(`${before}${found}`.trim())) {
      least ??= "unable";
      continue;
    }
    if ((!isOfResult && !isOfProgram && !LIMITS.test(found)) || WORK.test(own)) return "work";
    if (isOfResult || isOfProgram) least = "result";
    else least ??= "either";
  }
  return least ?? "either";
}

/** Whether a sentence tells what somebody or something is not able to do. */
export function tellsInability(sentence: string): boolean {
  return UNABLE.test(sentence) && !OF_WRITER.test(sentence);
}

const CLAUSE_ENDS = /[,;:.!?，。；：、]\s*|\s[–—-]\s/u;
/** Characters. */
const CLAUSE = 160;
