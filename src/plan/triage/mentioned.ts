const TOKEN = /[\w@$.+\-/]{3,200}/g;
const MOST_TOKENS = 20_000;
const WITHOUT_EXTENSION = new Set(
  "Dockerfile Makefile Gemfile Rakefile Procfile Justfile Jenkinsfile Vagrantfile CODEOWNERS".split(" "),
);
/** A name that so many files have tells of none of them. */
const MOST_OF_A_NAME = 3;

/**
 * The files whose paths or names stand in a text as written: `src/a.ts`, `.env.production`, `Dockerfile`, `README`.
 * In the text's order; of several files of one name, the one nearest to the root.
 */
export function mentionedFiles(text: string, tree: readonly string[]): string[] {
  const tokens = new Set<string>();
  for (const [token] of text.matchAll(TOKEN)) {
    tokens.add(token.replace(/^\.?\/+/, "").replace(/[.\-+/]+$/, ""));
    if (tokens.size >= MOST_TOKENS) break;
  }
  const byToken = new Map<string, string[]>();
  const add = (token: string, path: string) => {
    const known = byToken.get(token);
    if (known === undefined) byToken.set(token, [path]);
    else known.push(path);
  };
  for (const path of tree) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const stem = name.replace(/\.[^.]+$/, "");
    if (tokens.has(path)) add(path, path);
    else if (tokens.has(name) && (name.includes(".") || WITHOUT_EXTENSION.has(name))) add(name, path);
    else if (tokens.has(stem) && /^[A-Z]{4,}$/.test(stem)) add(stem, path);
  }
  const found = [...tokens].flatMap((token) => {
    const paths = byToken.get(token) ?? [];
    if (paths.length === 0) return [];
    const nearest = paths.toSorted((a, b) => depthOf(a) - depthOf(b) || a.length - b.length || (a < b ? -1 : 1));
    const isClear = paths.length <= MOST_OF_A_NAME || depthOf(nearest[0] ?? "") < depthOf(nearest[1] ?? "");
    return isClear ? nearest.slice(0, 1) : [];
  });
  return [...new Set(found)];
}

function depthOf(path: string): number {
  return path.split("/").length;
}
