import { escapeRegExp } from "../../lib/text.ts";
import { baseName } from "../index/path-index.ts";
import type { Handler } from "./handlers.ts";
import { isCode, isImportLine, type LineAt, type Look, shared } from "./literals.ts";
import type { SearchTerms } from "./query.ts";
import { isEveryday } from "./telling-words.ts";

/** Certainty of the code that uses a package of the title, and of one that the text only mentions. */
const IN_TITLE = 0.8;
const IN_TEXT = 0.5;
/** A package that more files import tells nothing. */
const MOST_FILES = 3;
const MOST_NAMES = 40;
const MANIFESTS_READ = 12;
const SHORTEST = 3;
const MANIFEST =
  /^(?:package\.json|composer\.json|pyproject\.toml|requirements[\w.-]*\.txt|setup\.(?:py|cfg)|Pipfile|go\.mod|Cargo\.toml|Gemfile|[\w.-]+\.gemspec)$/;
/** How a text writes the name of a package: `undici`, `@scope/name@1.2`, `github.com/jackc/pgx/v5`. */
const NAME = /(?<![\w/@.-])@?[A-Za-z][\w.-]*(?:\/[\w.-]+)*/g;
const SPAN = /`(@?[A-Za-z][\w./-]*)(?:@[\w.^~-]+)?`/g;
const MAJOR = /^v\d+$/;
const NO_NAMES =
  /^(?:import|from|as|const|let|var|require|use|type|using|include|static|await|pub|crate|default|require_once)$/;
/** Packages whose modules have another name. */
const MODULES: Readonly<Record<string, string>> = {
  pyyaml: "yaml",
  pillow: "PIL",
  beautifulsoup4: "bs4",
  "scikit-learn": "sklearn",
  "opencv-python": "cv2",
  "python-dateutil": "dateutil",
  "psycopg2-binary": "psycopg2",
  pyjwt: "jwt",
  attrs: "attr",
  pycryptodome: "Crypto",
  grpcio: "grpc",
  mysqlclient: "MySQLdb",
  pyserial: "serial",
  gitpython: "git",
};

/** The code that uses the packages that an issue names, if the project depends on them (R-EXP-2); by position. */
export async function packagePlaces(
  { title, prose }: SearchTerms,
  own: ReadonlySet<string>,
  look: Look,
): Promise<Map<number, Handler[]>> {
  const found = new Map<number, Handler[]>();
  const inTitle = [...title.matchAll(NAME)].map(([name]) => name.replace(/[.-]+$/, ""));
  const inText = [...prose.matchAll(SPAN)].map(([, name = ""]) => name);
  const names = [...new Set([...inTitle, ...inText])]
    .filter((name) => name.length >= SHORTEST && !own.has(name.toLowerCase()) && !isEveryday(name.toLowerCase()))
    .slice(0, MOST_NAMES);
  const manifests = names.length === 0 ? "" : await manifestsOf(look);
  for (const name of names.filter((one) => isDeclared(one, manifests))) {
    const certainty = inTitle.includes(name) ? IN_TITLE : IN_TEXT;
    const places = await importersOf(moduleOf(name), look);
    if (places.length > MOST_FILES) continue;
    for (const { position, ...place } of shared(places))
      found.set(position, [
        ...(found.get(position) ?? []),
        { ...place, as: name, certainty: place.certainty * certainty },
      ]);
  }
  return found;
}

async function manifestsOf(look: Look): Promise<string> {
  const positions = look.corpus.files
    .flatMap(({ path }, position) =>
      MANIFEST.test(baseName(path)) ? [{ position, depth: path.split("/").length }] : [],
    )
    .toSorted((a, b) => a.depth - b.depth)
    .slice(0, MANIFESTS_READ);
  const texts = await Promise.all(positions.map(async ({ position }) => await look.lines(position)));
  return texts.flat().join("\n");
}

/** Whether a manifest names it beside a version, a quote or nothing; of Go, the end of its path will do. */
function isDeclared(name: string, manifests: string): boolean {
  const own = escapeRegExp(name);
  return new RegExp(
    String.raw`(?:^\s*|["'\s\x60])${own}(?:\[[\w,-]+\])?["']?\s*(?:[<>=~!^:,;\])]|$)|(?:^|[\s/])${own}(?:/v\d+)?\s+v\d`,
    "im",
  ).test(manifests);
}

function moduleOf(name: string): string {
  return MODULES[name.toLowerCase()] ?? name;
}

/** The source files that import a module, each at a line that calls something of it. */
async function importersOf(module: string, look: Look): Promise<LineAt[]> {
  const path = module.replaceAll("-", "[-_/]").replaceAll(".", String.raw`\.`);
  const whole = new RegExp(String.raw`^(?:[\w.-]+/)*${path}(?:[/.:]|$)`, "i");
  const inline = new RegExp(String.raw`(?<![\w:])${path}::\w`);
  const last = module.split("/").findLast((part) => !MAJOR.test(part)) ?? module;
  const places: LineAt[] = [];
  for (const position of look.holding(last.replaceAll("-", " "))) {
    const lines = await look.lines(position);
    const sites = (await look.imports(position)).filter(
      ({ specifier, files }) => files.length === 0 && whole.test(specifier),
    );
    if (sites.length === 0 && !lines.some((line) => isCode(line) && inline.test(line))) continue;
    const names = new Set([
      last,
      ...sites.flatMap(({ specifier, line }) => namesBound(specifier, lines[line - 1] ?? "")),
    ]);
    const pattern = [...names].map((name) => escapeRegExp(name).replaceAll("-", "_")).join("|");
    const called = new RegExp(String.raw`(?<![\w$.])(?:${pattern})(?:(?:\.|::|->)\w+)*[!?]?(?:<[^>]*>)?\s*\(`);
    const calls = lines.flatMap((line, at) =>
      isCode(line) && !isImportLine(line) && called.test(line) ? [at + 1] : [],
    );
    const [line = sites[0]?.line ?? null, ...others] = calls;
    places.push({ position, line, others, certainty: 1, how: "uses" });
  }
  return places;
}

/** The names that an import makes known: those on its line, and the end of what it imports. */
function namesBound(specifier: string, line: string): string[] {
  const written = line.replaceAll(/(["'`]).*?\1/g, " ").match(/[A-Za-z_$][\w$]+/g) ?? [];
  const end = specifier.split(/[/.:]+/).findLast((part) => part !== "" && !MAJOR.test(part));
  return [...written, ...(end === undefined ? [] : [end])].filter((name) => !NO_NAMES.test(name));
}
