/** `any` matches any number of folders, `*` within a part any characters, `?` one. */
type Part = { kind: "any" } | { kind: "name"; characters: readonly Character[] };
type Character = { kind: "run" } | { kind: "one" } | { kind: "literal"; value: string };

/** Which files a line of CODEOWNERS is about. */
export type OwnerPattern = readonly Part[];

const ANY: Part = { kind: "any" };

/**
 * A pattern with GitHub's rules: like gitignore's, anchored if it has a slash before its end, and a name without
 * wildcard at its end matches a folder too; but `docs/*` does not reach into folders.
 */
export function flatPattern(pattern: string): OwnerPattern {
  const anchored = pattern.slice(0, -1).includes("/");
  const parts = partsOf(pattern);
  const reaches = !/(?:^|\/)\*{1,2}$/.test(pattern) && !pattern.endsWith("/");
  return [...(anchored ? [] : [ANY]), ...parts, ...(reaches ? [ANY] : [])];
}

/** A pattern with GitLab's rules: anywhere unless it begins with a slash, and a folder only if it ends in one. */
export function sectionedPattern(pattern: string): OwnerPattern {
  return [...(pattern.startsWith("/") ? [] : [ANY]), ...partsOf(pattern)];
}

function partsOf(pattern: string): Part[] {
  const names = pattern.replace(/^\//, "").split("/");
  // Everything below a folder, but not a file with the folder's own name.
  if (names.at(-1) === "" || names.at(-1) === "**") names.splice(-1, 1, "*", "**");
  return names.map((name) => (name === "**" ? ANY : { kind: "name", characters: charactersOf(name) }));
}

function charactersOf(name: string): Character[] {
  const characters: Character[] = [];
  for (const [, escaped, plain] of name.matchAll(/\\(.)|(\*+|[\s\S])/gu)) {
    if (escaped !== undefined) characters.push({ kind: "literal", value: escaped });
    else if (plain?.startsWith("*")) characters.push({ kind: "run" });
    else if (plain === "?") characters.push({ kind: "one" });
    else if (plain !== undefined) characters.push({ kind: "literal", value: plain });
  }
  return characters;
}

/** Whether a pattern matches the file at `path`, relative to the repository's root. */
export function isMeant(pattern: OwnerPattern, path: string): boolean {
  return fits(pattern, path.replace(/^\//, "").split("/"), {
    isWild: (part) => part.kind === "any",
    isOne: (part, name) =>
      part.kind === "name" &&
      fits(part.characters, Array.from(name), {
        isWild: (expected) => expected.kind === "run",
        isOne: (expected, one) => expected.kind === "one" || (expected.kind === "literal" && expected.value === one),
      }),
  });
}

interface Fitting<P, T> {
  /** Whether a part matches any number of items. */
  isWild: (part: P) => boolean;
  isOne: (part: P, item: T) => boolean;
}

/**
 * Whether items match a pattern. Backtracking to the last wildcard only is enough, and bounds the time by the product
 * of both lengths, for any pattern.
 */
function fits<P, T>(pattern: readonly P[], items: readonly T[], { isWild, isOne }: Fitting<P, T>): boolean {
  let at = 0;
  let from = 0;
  let back: { at: number; from: number } | null = null;
  while (from < items.length) {
    const part = pattern[at];
    const item = items[from];
    if (part !== undefined && isWild(part)) {
      at += 1;
      back = { at, from };
    } else if (part !== undefined && item !== undefined && isOne(part, item)) {
      at += 1;
      from += 1;
    } else if (back === null) return false;
    else {
      back = { at: back.at, from: back.from + 1 };
      ({ at, from } = back);
    }
  }
  return pattern.slice(at).every(isWild);
}
