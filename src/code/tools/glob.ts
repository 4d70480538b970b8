/** Whether a path matches a compiled glob. */
export type PathTest = (path: string) => boolean;

export type CompiledGlob = { kind: "glob"; test: PathTest } | { kind: "refused"; reason: string };

const LONGEST = 200;
const ALTERNATIVES = 64;

/**
 * A glob over paths of the tree: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{a,b}`. Names that start
 * with a dot are ordinary names. Without `/` it matches the file's name in any folder; a trailing `/` means everything
 * below. Not `path.matchesGlob` or picomatch, since these backtrack: a glob with ten stars, which a model may write,
 * takes them half a minute for one path. This one's time is proportional to glob times path.
 */
export function compileGlob(glob: string, options: { ignoreCase?: boolean } = {}): CompiledGlob {
  const cleaned = glob.replace(/^(?:\.\/)+/, "");
  if (cleaned === "" || cleaned.length > LONGEST) return refused(`a glob has from 1 to ${LONGEST} characters`);
  if (/[\0\r\n]/.test(cleaned)) return refused("a glob is one line, without NUL");
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(cleaned) || cleaned.split("/").includes("..")) {
    return refused("paths and globs are relative to the top of the repository, without ..");
  }
  const folded = options.ignoreCase === true ? cleaned.toLowerCase() : cleaned;
  const alternatives = expandBraces(folded);
  if (alternatives === null) return refused(`a glob may have at most ${ALTERNATIVES} alternatives in braces`);
  const tests = alternatives.map(compileAlternative);
  return {
    kind: "glob",
    test: (path) => {
      const parts = (options.ignoreCase === true ? path.toLowerCase() : path).split("/");
      return tests.some((test) => test(parts));
    },
  };
}

/** Whether a text has glob syntax. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

/** A glob's alternatives without braces; null if there are too many. */
export function expandBraces(glob: string): string[] | null {
  let open = [glob];
  for (;;) {
    const next = open.flatMap((each) => {
      // The innermost braces first: nothing is nested in them.
      const found = /\{([^{}]*)\}/.exec(each);
      if (!found) return [each];
      const before = each.slice(0, found.index);
      const after = each.slice(found.index + found[0].length);
      return (found[1] ?? "").split(",").map((choice) => `${before}${choice}${after}`);
    });
    if (next.length > ALTERNATIVES) return null;
    if (!next.some((each) => /\{[^{}]*\}/.test(each))) return [...new Set(next)];
    open = next;
  }
}

function compileAlternative(glob: string): (parts: readonly string[]) => boolean {
  const whole = glob.endsWith("/") ? `${glob}**` : glob;
  if (!whole.includes("/") && whole !== "**") {
    const test = nameTest(whole);
    return (parts) => test(parts.at(-1) ?? "");
  }
  const names = whole.split("/").map((name) => (name === "**" ? null : nameTest(name)));
  return (parts) => matchesNames(names, parts);
}

/** `null` matches any number of folders; at the end it needs at least one name. */
function matchesNames(names: readonly (((name: string) => boolean) | null)[], parts: readonly string[]): boolean {
  let reached = new Set([0]);
  names.forEach((name, index) => {
    const next = new Set<number>();
    for (const at of reached) {
      if (name === null) {
        const from = index === names.length - 1 ? at + 1 : at;
        for (let skip = from; skip <= parts.length; skip += 1) next.add(skip);
      } else {
        const part = parts[at];
        if (part !== undefined && name(part)) next.add(at + 1);
      }
    }
    reached = next;
  });
  return reached.has(parts.length);
}

function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}

type Piece = { kind: "text"; text: string } | { kind: "one"; test: (character: string) => boolean } | { kind: "any" };

/** Whether a name matches `*`, `?` and `[…]`; the time is proportional to the product of both lengths. */
function nameTest(name: string): (name: string) => boolean {
  const pieces = piecesOf(name);
  if (pieces.every((piece) => piece.kind === "text")) return (part) => part === name;
  // Most names already differ in their plain beginning or end.
  const beginning = /^[^*?[]*/.exec(name)?.[0] ?? "";
  const end = name.includes("[") ? "" : (/[^*?]*$/.exec(name)?.[0] ?? "");
  return (part) => part.startsWith(beginning) && part.endsWith(end) && matchesName(pieces, part);
}

/** Within one name, backtracking to the last star is enough. */
function matchesName(pieces: readonly Piece[], name: string): boolean {
  const characters = Array.from(name);
  let at = 0;
  let piece = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    const wanted = pieces[piece];
    const character = characters[at] ?? "";
    if (wanted?.kind === "any") {
      star = piece;
      starAt = at;
      piece += 1;
    } else if (wanted && (wanted.kind === "text" ? wanted.text === character : wanted.test(character))) {
      piece += 1;
      at += 1;
    } else if (star !== -1) {
      piece = star + 1;
      starAt += 1;
      at = starAt;
    } else return false;
  }
  while (pieces[piece]?.kind === "any") piece += 1;
  return piece === pieces.length;
}

function piecesOf(name: string): Piece[] {
  const pieces: Piece[] = [];
  const characters = Array.from(name);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const close = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") {
      if (pieces.at(-1)?.kind !== "any") pieces.push({ kind: "any" });
    } else if (character === "?") {
      pieces.push({ kind: "one", test: () => true });
    } else if (close !== -1) {
      pieces.push({ kind: "one", test: oneOf(characters.slice(at + 1, close)) });
      at = close;
    } else {
      pieces.push({ kind: "text", text: character });
    }
  }
  return pieces;
}

function oneOf(members: readonly string[]): (character: string) => boolean {
  const negated = members[0] === "!" || members[0] === "^";
  const listed = negated ? members.slice(1) : members;
  const inside = (character: string) =>
    listed.some((member, index) => {
      const last = listed[index + 2];
      if (listed[index + 1] === "-" && last !== undefined) return character >= member && character <= last;
      return member === character;
    });
  return (character) => inside(character) !== negated;
}
