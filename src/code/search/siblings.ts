import type { Surface } from "../../domain/issue-text/surfaces.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { isCode, type LineAt, type Look, quoted, wordsOfRoute } from "./literals.ts";

/** What is not there yet belongs beside others of its kind, which the documentation names. */
const BESIDE = 0.7;
const DOCS_READ = 8;
const FILES_READ = 6;
const MOST_NAMES = 24;
const LEAST = 2;
/** Documentation that names commands, options and routes; the page at the root comes first. */
const REFERENCE = /(?:^|\/)(?:readme|usage|cli|commands?|options?|flags|api|http|routes?|reference|manual)[^/]*$/i;

/** The file that has the most of what is documented beside a surface, at the last of them. */
export async function siblingsOf(surface: Surface, look: Look): Promise<LineAt[]> {
  if (surface.kind === "header") return await headersBeside(surface.as, look);
  const pattern = namesBeside(surface);
  if (pattern === null) return [];
  const docs = await docsOf(look);
  const text = surface.kind === "command" ? `${docs}\n${await usageIn(surface.words[0] ?? "", look)}` : docs;
  const named = [...text.matchAll(pattern)].flatMap((found) => found[1]?.split("|") ?? []);
  const names = [...new Set(named)].slice(0, MOST_NAMES);
  if (names.length < LEAST) return [];
  const literals = names.map((name) => literalOf(surface, name));
  let best: LineAt[] = [];
  let most = LEAST - 1;
  for (const position of candidates(surface.kind === "route" ? names.map(wordsOfRoute) : names, look)) {
    const lines = await look.lines(position);
    const at = literals.map((literal) => lines.findLastIndex((line) => isCode(line) && literal.test(line)));
    const here = at.filter((line) => line !== -1);
    if (here.length < most || here.length < LEAST) continue;
    // Two files that have as many tell nothing.
    best = here.length === most ? [] : [{ position, line: Math.max(...here) + 1, certainty: BESIDE, how: "beside" }];
    most = here.length;
  }
  return best;
}

/** Families of headers that HTTP itself has. */
const OF_HTTP = /^(?:Accept|Access|Cache|Content|If|Proxy|Sec|X)-/;

/** `Drop-Once` belongs where both `Drop-Token` and `Drop-Expires` are. */
async function headersBeside(name: string, look: Look): Promise<LineAt[]> {
  const family = name.split("-")[0] ?? name;
  if (OF_HTTP.test(name)) return [];
  const header = new RegExp(String.raw`["'\x60](${escapeRegExp(family)}-[\w-]+)["'\x60]`);
  const found: LineAt[] = [];
  for (const one of await look.first(family, [header])) {
    const lines = await look.lines(one.position);
    const names = new Set(lines.flatMap((line) => header.exec(line)?.[1] ?? []));
    if (names.size >= LEAST) found.push({ ...one, certainty: BESIDE, how: "beside" });
  }
  return found;
}

function namesBeside(surface: Surface): RegExp | null {
  switch (surface.kind) {
    case "command":
      return new RegExp(
        String.raw`(?<![\w./-])${escapeRegExp(surface.words[0] ?? "")} ([a-z][\w-]+(?:\|[a-z][\w-]+)*)`,
        "g",
      );
    case "option":
      return /(?<![\w-])--([a-z][\w-]+)/g;
    case "route":
      return /(?<![\w-])(?:GET|POST|PUT|PATCH|DELETE|HEAD)\s+(\/[\w/:{}<>.*-]+)/g;
    default:
      return null;
  }
}

/** What the code itself says of a program's usage: `usage: shopctl list|add`. */
async function usageIn(program: string, look: Look): Promise<string> {
  const positions = look.sourcesWith(program).filter((position) => look.hasCommands(position));
  const texts = await Promise.all(positions.slice(0, FILES_READ).map(async (position) => await look.lines(position)));
  return texts
    .flat()
    .filter((line) => isCode(line) && line.includes(`${program} `))
    .join("\n");
}

/** How a file names one of them: as a string, as a key, or by importing its file. */
function literalOf({ kind }: Surface, name: string): RegExp {
  if (kind === "route") {
    const segments = name.split("/").map((one) => (one === "" ? "" : String.raw`[^/\s"'\x60]+`));
    return new RegExp(String.raw`["'\x60](?:[A-Z]+ )?${segments.join("/")}["'\x60]`);
  }
  const plain = escapeRegExp(name);
  if (kind === "option") return new RegExp(String.raw`${quoted(`(?:--)?${plain}`).source}|^\s*${plain}:\s`);
  return new RegExp(String.raw`["'\x60/]${plain}(?:\.\w+)?["'\x60]`);
}

/** Source files with the words of the names, those with the most first. */
function candidates(names: readonly string[], look: Look): number[] {
  const counts = new Map<number, number>();
  look.searchAll(names);
  for (const position of names.flatMap((name) => look.sourcesWith(name)))
    counts.set(position, (counts.get(position) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, FILES_READ)
    .map(([position]) => position);
}

async function docsOf(look: Look): Promise<string> {
  const docs = look.corpus.files
    .flatMap(({ role, path }, position) => (role === "docs" && REFERENCE.test(path) ? [{ position, path }] : []))
    .toSorted((a, b) => a.path.split("/").length - b.path.split("/").length)
    .slice(0, DOCS_READ);
  const texts = await Promise.all(docs.map(async ({ position }) => (await look.lines(position)).join("\n")));
  return texts.join("\n");
}
