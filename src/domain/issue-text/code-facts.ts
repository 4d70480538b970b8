import type { Block } from "./markdown.ts";
import { type Surface, surfacesIn } from "./surfaces.ts";

/** A place in a repository that the text names. */
export interface Place {
  path: string;
  line: number | null;
  endLine: number | null;
}

/** What of the text is about code: names, messages, versions, commands. Each list in the text's order, without repeats. */
export interface CodeFacts {
  places: Place[];
  /** As written in the text, calls without their brackets: `foo`, `Foo.bar`, `a::b`. */
  symbols: string[];
  /** Messages that people quoted or that errors carry. */
  messages: string[];
  versions: string[];
  commands: string[];
  configKeys: string[];
  routes: string[];
  urls: string[];
  surfaces: Surface[];
}

const MOST = 200;
const EXTENSION =
  "[cm]?[jt]sx?|pyi?|go|rs|java|kts?|scala|rb|php|cs|cc?|cpp|cxx|hh?|hpp|swift|mm?|sh|sql|html?|css|s[ac]ss|less|vue|svelte|astro|dart|exs?|hs|ml|clj|lua|pl|jl|zig|proto|graphql|ya?ml|json5?|toml|xml|ini|cfg|conf|env|properties|gradle|md|mdx|rst|txt|ipynb|lock|tmpl|hbs|ejs|jinja2?|twig|tf";
const PATH = new RegExp(
  String.raw`(?<![\w@/.:-])((?:[A-Za-z]:[\\/]|~?\.{0,2}[\\/])?(?:[\w@$.+-]{1,80}[\\/]){0,24}[\w@$+-][\w@$.+-]{0,100}\.(?:${EXTENSION}))(?![\w/@-])(?:(?::|#L|\(| line |, line )(\d{1,6})(?:(?:-L?|:)(\d{1,6}))?)?`,
  "g",
);
const SOURCE_URL =
  /https?:\/\/[\w.:-]{1,200}\/[^\s)>\]]{1,200}?\/(?:-\/)?(?:blob|src|blame|tree|raw)\/(?:branch\/|commit\/)?[^\s/)>\]]{1,120}\/([^\s#?)>\]"'`]{1,400})(?:\?[^\s#)>\]]{0,100})?(?:#(?:L|lines-)(\d{1,6})(?:-L?(\d{1,6}))?)?/g;
const URL = /https?:\/\/[^\s<>)\]"'`]{3,500}/g;
const CODE_SPAN = /(`{1,3})(?!`)([^`\n]{1,400})\1(?!`)/g;

/** Extracts the code facts from a whole text; `blocks` locate its code. */
export function codeFactsOf(title: string, text: string, blocks: readonly Block[]): CodeFacts {
  const prose = [title, ...blocks.flatMap((block) => (block.kind === "code" ? [] : [block.text]))].join("\n");
  const spans = [...prose.matchAll(CODE_SPAN)].map((found) => (found[2] ?? "").trim()).filter((span) => span !== "");
  const outside = prose.replaceAll(CODE_SPAN, " ").replaceAll(URL, " ");
  return {
    places: placesOf(`${withoutCommands(prose)}\n${codeOf(blocks)}`),
    symbols: distinct([...spans.flatMap(symbolOf), ...namesIn(outside), ...methodsIn(text)], MOST),
    messages: distinct([...messagesIn(prose, spans), ...errorCodesIn(`${outside}\n${codeOf(blocks)}`)], 40),
    versions: distinct(
      [...`${title}\n${text}`.matchAll(VERSION)]
        .map((found) => found[1] ?? found[0])
        .filter((version) => !LOCAL_ADDRESS.test(version)),
      40,
    ),
    commands: distinct(commandsIn(spans, blocks), 40),
    configKeys: distinct(
      spans.filter((span) => CONFIG_KEY.test(span)),
      40,
    ),
    routes: distinct(
      [...`${prose}\n${codeOf(blocks)}`.matchAll(ROUTE)].map((found) => `${found[1]} ${found[2]}`),
      20,
    ),
    urls: distinct(
      [...prose.matchAll(URL)].map((found) => found[0].replace(/[.,;:!?]+$/, "")),
      60,
    ),
    surfaces: surfacesIn(prose.replaceAll(URL, " "), spans, blocks, (line) => COMMAND.test(line.trim())),
  };
}

/** Methods as Go writes them in profiles and traces: `example.org/shop/cart.(*Cart).Total`. */
const GO_METHOD = /(?<=\w)\.\(\*?([A-Za-z_]\w{0,80})\)\.([A-Za-z_]\w{0,80})/g;

function methodsIn(text: string): string[] {
  return [...text.matchAll(GO_METHOD)].map(([, type, method]) => `${type}.${method}`);
}

/** The program that was run is where the user started, not where the fault is. */
function withoutCommands(prose: string): string {
  return prose.replaceAll(CODE_SPAN, (span, _, inner: string) => (COMMAND.test(inner.trim()) ? " " : span));
}

function codeOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.kind === "code" ? [block.text] : [])).join("\n");
}

function placesOf(text: string): Place[] {
  const places: Place[] = [];
  const add = (path: string, line: string | undefined, endLine: string | undefined) => {
    const place = { path, line: lineNumber(line), endLine: lineNumber(endLine) };
    const same = places.find((other) => other.path === path && (other.line === place.line || place.line === null));
    if (!same && places.length < MOST) places.push(place);
  };
  const withoutLinks = text.replaceAll(SOURCE_URL, (_, path: string, line?: string, endLine?: string) => {
    add(decoded(path), line, endLine);
    return " ";
  });
  for (const [, path = "", line, endLine] of withoutLinks.replaceAll(URL, " ").matchAll(PATH)) {
    // `node.js` and `e.g.md` are words; `a.b.c` chains have no extension.
    if (
      !/^(?:node|vue|next|nuxt|react|d3|three|express|nest|deno|bun|ember|backbone|socket|chart|moment|angular|asp)\.(?:js|ts|io|net)$/i.test(
        path,
      )
    ) {
      // `file.c:10:5` gives a column, `file.c:10-15` an end.
      const isEnd =
        endLine !== undefined && Number(endLine) >= Number(line) && !withoutColumn(text, path, line, endLine);
      add(path.replaceAll("\\", "/"), line, isEnd ? endLine : undefined);
    }
  }
  return places;
}

function withoutColumn(text: string, path: string, line: string | undefined, column: string): boolean {
  return text.includes(`${path}:${line}:${column}`);
}

function lineNumber(written: string | undefined): number | null {
  const line = Number(written);
  return Number.isInteger(line) && line > 0 ? line : null;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const IDENTIFIER = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
const QUALIFIED = new RegExp(
  String.raw`^[@#.&*]{0,2}(${IDENTIFIER}(?:(?:\.|::|#|->|\?\.)${IDENTIFIER}){0,8})[?!]?(?:\([^\n]{0,300}\)?|<[^\n]{0,80}>(?:\([^\n]{0,200}\))?)?;?$`,
  "u",
);
const SPEAKING_NAME =
  /(?<![\w@/.$-])((?:[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+_*|__\w+__)(?:(?:\.|::|#)[A-Za-z_$][\w$]*){0,6})(?![\w/-])(?:\(\))?/g;
const DOTTED = /(?<![\w@/.$-])([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*){1,8})(?![\w/-]|\.\w)/g;
const CALLED = /(?<![\w@/.$-])([A-Za-z_$][\w$]{1,80})\(\)/g;
const NOT_NAMES =
  /^(?:e\.g|i\.e|github|gitlab|javascript|typescript|stackoverflow|macos|ios|youtube|node\.js|next\.js|vue\.js|asp\.net|(?:www|docs)\..*|.*\.(?:com|org|io|net|dev))$/i;

/** The name that a code span is, or the names that its expression calls. */
function symbolOf(span: string): string[] {
  const whole = QUALIFIED.exec(span)?.[1];
  if (whole) return PATH_LIKE.test(whole) ? [] : [whole];
  if (/^(?:-|\$ |https?:|[\w./-]+\/)/.test(span)) return [];
  return namesIn(span);
}

const PATH_LIKE = new RegExp(String.raw`^[^.]+\.(?:${EXTENSION})$`);

function namesIn(text: string): string[] {
  return [SPEAKING_NAME, DOTTED, CALLED]
    .flatMap((pattern) => [...text.matchAll(pattern)].map((found) => ({ name: found[1] ?? "", at: found.index })))
    .filter(({ name }) => name.length > 2 && name.length < 200 && !NOT_NAMES.test(name) && !PATH_LIKE.test(name))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

const QUOTED =
  /(?<![\p{L}\p{N}])(?:"([^"\n]{8,300})"|“([^”\n]{8,300})”|„([^“”\n]{8,300})[“”]|«([^»\n]{8,300})»|「([^」\n]{4,300})」|'([^'\n]{8,300})'(?![\p{L}\p{N}]))/gu;

/** Quoted sentences and code spans that read like messages of a program. */
function messagesIn(prose: string, spans: readonly string[]): string[] {
  const quoted = [...prose.matchAll(QUOTED)].map((found) => found.slice(1).find((group) => group !== undefined) ?? "");
  return [...quoted, ...spans].map((text) => text.trim()).filter(isMessage);
}

/** `EXPORT_TOTAL_MISMATCH`: programs print such codes, and have them as they are in their source. */
function errorCodesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w./$-])[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+(?![\w./-])/g)].map((found) => found[0]);
}

const LOCAL_ADDRESS = /^(?:(?:127|10|255)\.\d+|192\.168|169\.254|0\.0)\.\d+\.\d+$/;
const COMMAND_WORD =
  /^(?:npm|yarn|git|pip|go|cargo|docker|curl|const|let|var|import|from|return|await|def|class|function) /;

function isMessage(text: string): boolean {
  return /\p{L}{2,}\s+\p{L}{2,}/u.test(text) && !COMMAND_WORD.test(text) && !COMMAND.test(text);
}

const VERSION =
  /(?<![\w./-]|\d,)(?:(?:[vV]|[a-z][\w.-]{1,40}@[\^~]?)?(\d{1,4}\.\d{1,4}(?:\.\d{1,6}){0,2}(?:[-.+]?(?:alpha|beta|rc|dev|next|canary|pre|snapshot|post|a|b)[\w.-]{0,20})?))(?![\w/%-]|\.\w|\s?(?:MB|GB|KB|ms|s|%)(?!\w))/gi;
const COMMAND =
  /^(?:\$|>|#|PS>|❯)?\s*((?:sudo )?(?:npm|npx|yarn|pnpm|bun|bunx|deno|node|tsc|git|pip3?|pipx|poetry|uv|python3?|pytest|tox|nox|go|cargo|rustc|rustup|mvn|gradle|\.\/gradlew|java|kotlinc|docker|docker-compose|kubectl|helm|make|cmake|gcc|g\+\+|clang|curl|wget|ruby|rails|bundle|gem|rake|php|composer|artisan|dotnet|bash|sh|ssh|aws|gcloud|az|terraform|brew|apt(?:-get)?|ls|cd|cat|rm|mkdir|export|source)\b(?: [^\n]{1,300})?)$/;
const CONFIG_KEY =
  /^(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][\w-]*(?:\.[a-z][\w-]*)+|--?[a-z][\w-]*(?:=[^\s]{0,80})?|[a-z][\w-]*\s*(?::(?!:)|=)\s*[^\s:][^\s]{0,80})$/;
const ROUTE =
  /(?<![\w/])(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(?:https?:\/\/[\w.:-]+)?(\/[\w./:{}<>*?=&%-]{0,200})/g;

/** Command lines from code spans, and the marked or plainly spoken ones of code blocks. */
function commandsIn(spans: readonly string[], blocks: readonly Block[]): string[] {
  const fromBlocks = blocks.flatMap((block) => {
    if (block.kind !== "code") return [];
    const isShell = /^(?:sh|shell|bash|zsh|console|terminal|shell-session|cmd|powershell|ps1)$/.test(block.language);
    return block.text.split("\n").filter((line) => line.length < 400 && (isShell || /^\s*(?:\$|❯) /.test(line)));
  });
  return [...spans.filter((span) => span.includes(" ")), ...fromBlocks].flatMap(
    (line) => COMMAND.exec(line.trim())?.[1] ?? [],
  );
}

function distinct(values: readonly string[], most: number): string[] {
  return [...new Set(values)].slice(0, most);
}
