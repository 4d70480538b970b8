import { inLatin } from "./text/latin.ts";
import { SECRET_REMOVED, removeSecrets } from "./text/secrets/remove-secrets.ts";
import { BRANCH_NAME, type Classification } from "./plan.ts";

const WORDS = 5;
const LONGEST_SLUG = 50;
const STOP_WORDS = new Set("a an the in on of for to and or with".split(" "));
const PREFIX: Record<Classification, string> = {
  BUG: "fix",
  FEATURE: "feature",
  DOCS: "docs",
  CHORE: "chore",
  OTHER: "fix",
};
const MOST_SUFFIXES = 10_000;

/** An issue, as its branch is named. */
interface NamedIssue {
  title: string;
  /** The title of its spec, if it has one. */
  built?: string | undefined;
  /** Detected by default. */
  language?: string | undefined;
}

/**
 * Up to five significant words of the title, in ASCII, at most 50 characters (R-FIX-3); `issue` if none is left. In place
 * of a title in another script, the spec's title counts if that has Latin letters.
 */
export function branchSlug({ title, built = "", language }: NamedIssue): string {
  const names = isLatin(title) || !isLatin(built) ? [title, built] : [built, title];
  return names.map((name) => slugOf(name, language)).find((slug) => slug !== "") ?? "issue";
}

function isLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters > 0 && (text.match(/\p{Script=Latin}/gu)?.length ?? 0) * 2 > letters;
}

function slugOf(title: string, language: string | undefined): string {
  const text = removeSecrets(title.slice(0, 2_000).normalize("NFKC")).text.replaceAll(SECRET_REMOVED, " ");
  const words = inLatin(text, language)
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s-]/g, "")
    .split(/\s+/)
    .filter((word) => /[a-z0-9]/.test(word));
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return trimmed((telling.length > 0 ? telling : words).slice(0, WORDS).join("-"));
}

function trimmed(slug: string, most: number = LONGEST_SLUG): string {
  return slug.replace(/^-+/, "").slice(0, most).replace(/-+$/, "");
}

/**
 * The name of the branch (R-FIX-3). Uses the repository's own prefix if the name still fits the contract. A taken name
 * gets `-2`, `-3`, … within the length limit; null if all of those are taken too.
 */
export async function branchName(
  issue: NamedIssue & { number: number },
  classification: Classification,
  {
    prefixes,
    isTaken,
  }: {
    prefixes: Partial<Record<Classification, string>>;
    isTaken: (name: string) => boolean | Promise<boolean>;
  },
): Promise<string | null> {
  const slug = branchSlug(issue);
  const nameOf = (own: string) => {
    const wished = `${prefixes[classification] ?? ""}/${issue.number}-${own}`;
    return BRANCH_NAME.test(wished) ? wished : `${PREFIX[classification]}/${issue.number}-${own}`;
  };
  for (let count = 1; count <= MOST_SUFFIXES; count += 1) {
    const suffix = count === 1 ? "" : `-${count}`;
    const name = nameOf(`${trimmed(slug, LONGEST_SLUG - suffix.length)}${suffix}`);
    if (!(await isTaken(name))) return name;
  }
  return null;
}

/** The same branch with a number, for a name that was taken since it was planned. */
export function numbered(branch: string, count: number): string {
  const [, start = "", slug = ""] = /^([^/]*\/\d+-)(.*)$/.exec(branch) ?? [];
  const suffix = `-${count}`;
  return `${start}${trimmed(slug, LONGEST_SLUG - suffix.length)}${suffix}`;
}
