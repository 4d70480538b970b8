const DEEPEST = 8;
const MOST_TARGETS = 20;
const MOST_PATTERNS = 200;

/** What a pattern with at most one `*` leaves for it; `""` for an exact match, `null` for none. */
export function matchPattern(pattern: string, name: string): string | null {
  const star = pattern.indexOf("*");
  if (star === -1) return pattern === name ? "" : null;
  const after = pattern.slice(star + 1);
  const fits = name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(after);
  return fits ? name.slice(star, name.length - after.length) : null;
}

/**
 * The files that `exports` or `imports` of a package.json may mean by a name (`.`, `./sub`, `#internal`), under any
 * condition, in its order; sources come before what is built, so `types` and `default` are no worse than others.
 */
export function exportTargets(field: unknown, name: string): string[] {
  const targets: string[] = [];
  if (!isRecord(field) || !Object.keys(field).some((key) => /^[.#]/.test(key))) {
    if (name === ".") gather(field, "", targets, 0);
    return targets;
  }
  if (Object.hasOwn(field, name)) gather(field[name], "", targets, 0);
  else {
    const patterns = Object.keys(field)
      .filter((key) => key.includes("*"))
      .slice(0, MOST_PATTERNS);
    // The longest prefix decides, as in Node.
    patterns.sort((a, b) => b.indexOf("*") - a.indexOf("*"));
    for (const pattern of patterns) {
      const part = matchPattern(pattern, name);
      if (part === null) continue;
      gather(field[pattern], part, targets, 0);
      break;
    }
  }
  return targets;
}

function gather(value: unknown, part: string, targets: string[], depth: number): void {
  if (depth > DEEPEST || targets.length >= MOST_TARGETS) return;
  if (typeof value === "string") {
    if (value.startsWith("./") && value.length <= 300) targets.push(value.replaceAll("*", () => part));
  } else if (Array.isArray(value)) {
    for (const entry of value) gather(entry, part, targets, depth + 1);
  } else if (isRecord(value)) {
    for (const entry of Object.values(value)) gather(entry, part, targets, depth + 1);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
