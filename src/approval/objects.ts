import { lexicons } from "./lexicon.ts";

/** What the words of a clause name: only the spec; the plan or the work after it; neither. */
export type Named = "spec" | "work" | null;

export function namedIn(clause: string): Named {
  if (lexicons().some(({ objects }) => objects.work.test(clause))) return "work";
  return lexicons().some(({ objects }) => objects.spec.test(clause)) ? "spec" : null;
}

/**
 * A clause without the spec or the plan that it names, as “yes” of “yes to the spec”: one reading for each language
 * that finds a name.
 */
export function withoutObject(clause: string): string[] {
  return lexicons().flatMap(({ objects: { phrase } }) =>
    phrase?.test(clause) === true ? [clause.replace(phrase, " ").replaceAll(/\s+/g, " ").trim()] : [],
  );
}

/** Whether words beside the name of the spec ask to write it: “draft”. */
export function saysToWrite(rest: string): boolean {
  return lexicons().some(({ objects }) => objects.writing?.test(rest) === true);
}

/** Whether a clause says something about the spec, as “the spec is fine” does and “yes to the spec” does not. */
export function isAboutSpec(clause: string): boolean {
  return lexicons().some(({ objects }) => objects.subject?.test(clause) === true);
}
