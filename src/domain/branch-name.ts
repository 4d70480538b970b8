import anyAscii from "any-ascii";
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

/** Up to five significant words of a title, in ASCII, at most 50 characters (R-FIX-3); `issue` if none is left. */
export function branchSlug(title: string): string {
  const words = anyAscii(title.slice(0, 2_000).normalize("NFKC"))
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s-]/g, "")
    .split(/\s+/)
    .filter((word) => /[a-z0-9]/.test(word));
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return trimmed((telling.length > 0 ? telling : words).slice(0, WORDS).join("-")) || "issue";
}

function trimmed(slug: string, most: number = LONGEST_SLUG): string {
  return slug.replace(/^-+/, "").slice(0, most).replace(/-+$/, "");
}

/**
 * The name of the branch (R-FIX-3). Uses the repository's own prefix if the name still fits the contract. A taken name
 * gets `-2`, `-3`, … within the length limit; null if all of those are taken too.
 */
export async function branchName(
  issue: { number: number; title: string },
  classification: Classification,
  {
    prefixes,
    isTaken,
  }: {
    prefixes: Partial<Record<Classification, string>>;
    isTaken: (name: string) => boolean | Promise<boolean>;
  },
): Promise<string | null> {
  const slug = branchSlug(issue.title);
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
