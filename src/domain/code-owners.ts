import { type OwnerPattern, flatPattern, sectionedPattern, isMeant } from "./owner-pattern.ts";

interface Rule {
  /** As written in the file, without the mark that excludes. */
  written: string;
  pattern: OwnerPattern;
  /** Empty if these files have no owner. */
  owners: readonly string[];
  /** GitLab: excludes the files from their section permanently. */
  excludes: boolean;
}

/** A parsed CODEOWNERS file: sections, each with its own owners; one without a name before all others. */
export interface CodeOwners {
  readonly sections: readonly (readonly Rule[])[];
}

/** How a code host treats CODEOWNERS. */
export interface CodeOwnersFormat {
  /** Paths where the tracker looks for the file; the first one that exists counts. */
  readonly paths: readonly string[];
  /** `flat` is GitHub's: one list of rules. `sectioned` is GitLab's: sections, default owners and exclusions. */
  readonly dialect: "flat" | "sectioned";
}

/**
 * The text of the CODEOWNERS file that the tracker uses; null if there is none.
 *
 * @param read the text of a file; null if the file does not exist
 */
export async function findCodeOwners(
  { paths }: CodeOwnersFormat,
  read: (path: string) => Promise<string | null>,
): Promise<string | null> {
  for (const path of paths) {
    const text = await read(path);
    if (text !== null) return text;
  }
  return null;
}

/** More lines than that are not read. */
const MOST_RULES = 10_000;
const LONGEST_PATTERN = 1_000;

/**
 * Parses a CODEOWNERS file as its code host does (R-WORK-7). Skips lines that the host would not accept; in the flat
 * dialect these are negations, escaped number signs, ranges in brackets, and lines with a word that is no owner.
 */
export function parseCodeOwners(text: string, { dialect }: Pick<CodeOwnersFormat, "dialect">): CodeOwners {
  const lines = text.split(/\r\n?|\n/).slice(0, MOST_RULES);
  return dialect === "sectioned" ? sectionedOwners(lines) : { sections: [lines.flatMap(flatRule)] };
}

/**
 * The owners of a file, as written: `@name`, `@group/team`, an address. The last rule that matches the file counts; in
 * a file with sections, the last of each section.
 */
export function ownersOf(file: CodeOwners, path: string): string[] {
  const found = file.sections.flatMap((rules) => {
    const meant = rules.filter(({ pattern }) => isMeant(pattern, path));
    return meant.some(({ excludes }) => excludes) ? [] : (meant.at(-1)?.owners ?? []);
  });
  return [...new Set(found)];
}

/** The file as pattern to owners; of a repeated pattern, the last one in each section counts. */
export function ownersByPattern(file: CodeOwners): Record<string, string[]> {
  const all = new Map<string, Set<string>>();
  for (const rules of file.sections) {
    const last = new Map(rules.filter(({ excludes }) => !excludes).map(({ written, owners }) => [written, owners]));
    for (const [pattern, owners] of last) all.set(pattern, new Set([...(all.get(pattern) ?? []), ...owners]));
  }
  return Object.fromEntries([...all].map(([pattern, owners]) => [pattern, [...owners]]));
}

function flatRule(line: string): Rule[] {
  const [pattern, ...owners] = wordsOf(line.replace(/(?:^|\s)#.*$/, ""));
  if (pattern === undefined || pattern.length > LONGEST_PATTERN) return [];
  if (/^(?:!|\\#)/.test(pattern) || /[[\]]/.test(pattern) || !owners.every(isOwner)) return [];
  return [{ written: pattern, pattern: flatPattern(pattern), owners, excludes: false }];
}

/** `^[Name][2] @default @owners` */
const SECTION = /^\^?\[([^\]]{1,200})\](?:\[\d{1,9}\])?(?:\s(.*))?$/;

function sectionedOwners(lines: readonly string[]): CodeOwners {
  const sections = new Map<string, Rule[]>();
  let name = "";
  let defaults: string[] = [];
  for (const line of lines.map((each) => each.trim())) {
    const [, section, owners = ""] = SECTION.exec(line) ?? [];
    if (section !== undefined) {
      name = section.trim().toLowerCase();
      defaults = wordsOf(owners).filter(isOwner);
    } else {
      const rules = sections.get(name) ?? [];
      rules.push(...sectionedRule(line, defaults));
      sections.set(name, rules);
    }
  }
  return { sections: [...sections.values()] };
}

function sectionedRule(line: string, defaults: readonly string[]): Rule[] {
  const [written, ...rest] = line.startsWith("#") ? [] : wordsOf(line);
  if (written === undefined || written.length > LONGEST_PATTERN) return [];
  const excludes = written.startsWith("!");
  const comment = rest.findIndex((word) => word.startsWith("#"));
  const own = (comment === -1 ? rest : rest.slice(0, comment)).filter(isOwner);
  const name = excludes ? written.slice(1) : written;
  return [{ written: name, pattern: sectionedPattern(name), owners: own.length > 0 ? own : defaults, excludes }];
}

/** Words, the first of which may contain blanks escaped with backslashes. */
function wordsOf(line: string): string[] {
  return line.match(/(?:\\.|[^\s\\]|\\$)+/g) ?? [];
}

/** GitLab's `@@maintainers` are roles. */
function isOwner(word: string): boolean {
  return /^@{1,2}[\w.-]+(?:\/[\w.-]+)*$/.test(word) || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(word);
}
