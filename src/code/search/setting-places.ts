import type { CodeSymbol } from "../code-index.ts";
import { symbolAt } from "../outline/outline.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { isCode, isImportLine, type LineAt, type Look, quoted, shared } from "./literals.ts";
import { isCallable } from "./pieces.ts";

/** Certainty where the setting is not there yet, but others of its section are. */
const BESIDE = 0.7;
/** Certainty of the declaration of a setting that other code uses. */
const DECLARED = 0.4;
/** Certainty of the code that uses an option: the user may just have typed it. */
const OPTION = 0.6;
/** Files that may use a setting; where more do, it tells nothing. */
const MOST_FILES = 3;
const LONGEST_ACCESSOR = 8;

const READS_SETTINGS = /env|getenv|config|setting|option|flag|viper|@Value/i;
const OF_SETTINGS =
  /(?:^|[/_.-])(?:env|environment|config|configuration|settings?|options?|flags?|defaults|constants|schema|cli|args)(?=[/_.-])/i;
const MEMBER_OF = String.raw`\b(?:opts?|options?|args?|argv|flags?|config|conf|cfg|settings?|params|program|matches|cli)\w*(?:\(\))?[\w.]*(?:\?)?(?:\.|->|\[["':])`;
/** Decides something by a value. */
const BRANCHES =
  /\b(?:if|elif|elsif|unless|while|until|for|switch|case|when|match)\b|[!=]==?|&&|\|\||\?\?|(?<![-=<])[<>]=?(?![<>\w])|\s\?\s|\b(?:min|max|and|or|not)\b/i;
/** `ttl: env.TTL`, `const ttl = …`, `self.ttl = …`, `ttl := …`. */
const BINDS =
  /^\s*(?:(?:export|public|private|protected|static|final|readonly|const|let|mut|var|val|pub|int|long|boolean|bool|String|string)\s+)*(?:this\.|self\.|@|\$this->|\$)?["']?([A-Za-z_$][\w$]*)["']?\s*(?:[?!]?:\s*[\w<>[\] |]+=(?!=)|:=|=(?![=>~])|=>|:(?!:))/;
/** A field of Go with its tag; a variable that a flag is written to. */
const FIELD = /^\s*([A-Z]\w*)\s+[\w.*[\]]+\s+`/;
const POINTED_AT = /&(?:\w+\.)*(\w+)/;
const ACCESSORS_OF_ALL = /^(?:main|load|init|new|run|parse|read|get|config|configure|setup|settings|from\w*)$/i;

interface Site {
  position: number;
  line: number;
  text: string;
}

/** What is looked for: words that a file must have, and how a line says it. */
interface Name {
  words: string;
  pattern: RegExp;
}

/** An environment variable: the code that uses its value, then where it is read. */
export async function variablePlaces(name: string, look: Look): Promise<LineAt[]> {
  const sites = await sitesOf({ words: name, pattern: wordPattern(escapeRegExp(name)) }, look);
  const isSetting = sites.some(
    ({ text, position }) => READS_SETTINGS.test(text) || OF_SETTINGS.test(look.pathOf(position)),
  );
  if (!isSetting) return [];
  const users = await usersOf(name.split("_"), sites, look);
  const declared = shared(firstOfFiles(sites).map(({ position, line }) => ({ position, line, certainty: 1 })));
  if (users.length === 0) return declared;
  return [...users, ...declared.map((one) => ({ ...one, certainty: one.certainty * DECLARED }))];
}

/** The functions that use the value of an option: it may just be what somebody typed, so that other lines tell more. */
export async function optionPlaces(name: string, look: Look): Promise<LineAt[]> {
  const declared = await sitesOf(
    { words: name, pattern: quoted(`(?:-{1,2})?${escapeRegExp(name)}(?:[ =,][^"'\`]*)?`) },
    look,
  );
  const users = await usersOf(name.split("-"), declared, look);
  return await Promise.all(
    users.map(async ({ line, others = [], ...one }) => {
      const outline = (await look.outline(one.position)).filter(isCallable);
      const [first = null, ...rest] = [line, ...others].flatMap((at) => {
        const around = at === null ? null : symbolAt(outline, at);
        return around === null
          ? at
          : Array.from({ length: around.end - around.start + 1 }, (_, after) => around.start + after);
      });
      return { ...one, line: first, others: rest.filter((at) => at !== null), certainty: one.certainty * OPTION };
    }),
  );
}

/** `smtp.port`: where it is read, or `"port"` stands in a file that has `"smtp"` as well; else what its section has. */
export async function sectionPlaces(parts: readonly string[], look: Look): Promise<LineAt[]> {
  const [section = "", ...rest] = parts;
  const name = rest.at(-1) ?? "";
  // `acme.web.routes` is a module.
  if (look.corpus.paths.module(parts.join(".")).length > 0) return [];
  const own = escapeRegExp(section);
  const whole = quoted(parts.map(escapeRegExp).join(String.raw`\.`));
  const read = new RegExp(
    String.raw`[([]\s*${whole.source}|${MEMBER_OF}${own}["'\]]{0,2}[?!]?(?:\.|\[["':])${escapeRegExp(name)}(?!\w|\s*\()`,
  );
  const reading = await sitesOf({ words: `${section} ${name}`, pattern: read }, look);
  const sections = await look.first(section, [quoted(own)]);
  const names = await look.first(name, [quoted(escapeRegExp(name))]);
  const both = shared(names.filter(({ position }) => sections.some((one) => one.position === position)));
  const users = used(deciding(reading));
  const others = both.filter(({ position }) => !users.some((one) => one.position === position));
  return users.length + both.length > 0 ? [...users, ...others] : await besideIn(section, sections, look);
}

/** Where a section is declared, and where its other keys are read. */
async function besideIn(section: string, quotedAt: readonly LineAt[], look: Look): Promise<LineAt[]> {
  const own = escapeRegExp(section);
  const member = new RegExp(String.raw`${MEMBER_OF}${own}["'\]]{0,2}[?!]?(?:\.|\[["':])\w`);
  const head = new RegExp(String.raw`^\s*(?:export\s+)?(?:const\s+|pub\s+)?${own}\s*(?::|=)\s*(?:\{|\w|$)`);
  const heads = (await sitesOf({ words: section, pattern: head }, look)).filter(({ position }) =>
    OF_SETTINGS.test(look.pathOf(position)),
  );
  const declaring = firstOfFiles([...quotedAt, ...heads]);
  const reading = firstOfFiles(deciding(await sitesOf({ words: section, pattern: member }, look)));
  return [declaring, reading.filter(({ position }) => !declaring.some((one) => one.position === position))].flatMap(
    (places) => shared(places.map(({ position, line }) => ({ position, line, certainty: BESIDE, how: "beside" }))),
  );
}

/** The lines that use what is bound where a setting is read, or its name in another spelling; none if too many files do. */
async function usersOf(words: readonly string[], sites: readonly Site[], look: Look): Promise<LineAt[]> {
  const bound = new Set<string>();
  for (const site of sites) for (const name of await namesBoundAt(site, look)) bound.add(name);
  const names = [
    respelled(words),
    ...[...bound].map((name) => ({ words: name, pattern: wordPattern(escapeRegExp(name)) })),
  ];
  look.searchAll(names.map((name) => name.words));
  const uses = (await Promise.all(names.map(async (name) => await usesOf(name, sites, look)))).flat();
  const direct = sites.filter(({ text }) => decides(text) && BINDS.exec(text) === null);
  return used(await followed(deciding([...direct, ...uses]), look));
}

/** A line that only hands the value on, with the line of the same file that decides by it instead. */
async function followed(uses: readonly Site[], look: Look): Promise<Site[]> {
  return await Promise.all(
    uses.map(async (use) => {
      const name = BINDS.exec(use.text)?.[1];
      if (name === undefined || decides(use.text)) return use;
      const pattern = wordPattern(escapeRegExp(name));
      const lines = await look.lines(use.position);
      const at = lines.findIndex(
        (text, line) => line !== use.line - 1 && isCode(text) && pattern.test(text) && decides(text),
      );
      return at === -1 ? use : { position: use.position, line: at + 1, text: lines[at] ?? "" };
    }),
  );
}

async function usesOf(name: Name, sites: readonly Site[], look: Look): Promise<Site[]> {
  const found = await sitesOf(name, look);
  return found.filter(
    ({ position, line, text }) =>
      !sites.some((site) => site.position === position && site.line === line) &&
      !isImportLine(text) &&
      !declares(text, name.pattern),
  );
}

/** Names that a line binds the value to: a variable, a key, a field, or the function that returns it. */
async function namesBoundAt({ position, line, text }: Site, look: Look): Promise<string[]> {
  const names = [BINDS, FIELD, POINTED_AT].flatMap((pattern) => pattern.exec(text)?.[1] ?? []);
  // `TTL: z.number()` only gives its own name to the value.
  if (names.length > 0) return names.filter((name) => name.length > 2 && (name.length > 5 || /[A-Z_]/.test(name)));
  const symbol = symbolAt(await look.outline(position), line);
  return symbol !== null && isAccessor(symbol) ? [symbol.name] : [];
}

function isAccessor(symbol: CodeSymbol): boolean {
  return isCallable(symbol) && symbol.end - symbol.start < LONGEST_ACCESSOR && !ACCESSORS_OF_ALL.test(symbol.name);
}

/** `maxDepth`, `max_depth`, `MaxDepth`; one word only as a member of something like options. */
function respelled(words: readonly string[]): Name {
  const own = words.map((word) => escapeRegExp(word.toLowerCase()));
  const joined = own.map((word) => `[${word[0]}${word[0]?.toUpperCase()}]${word.slice(1)}`).join("_?");
  const pattern = own.length > 1 ? wordPattern(joined) : new RegExp(String.raw`${MEMBER_OF}${joined}(?!\w|\s*\()`);
  return { words: words.join(" "), pattern };
}

function wordPattern(source: string): RegExp {
  return new RegExp(String.raw`(?<![\w$-])${source}(?![\w$-])`);
}

/** A declaration of the name itself: a key, a field, a parameter by itself, a function. */
function declares(text: string, name: RegExp): boolean {
  const { source } = name;
  return new RegExp(
    String.raw`^\s*(?:(?:export|public|private|protected|static|final|readonly|const|let|var|val|pub|int|long|boolean|string)\s+)*["']?${source}["']?\s*(?:[?!]?:(?![:=])|=(?![=>])|[\w.*[\]]+\s*(?:\x60.*)?$)|\b(?:def|fn|func|function|class)\s.*?${source}`,
  ).test(text);
}

/** All lines of code that say a name, by file; none if too many files do. */
async function sitesOf({ words, pattern }: Name, look: Look): Promise<Site[]> {
  const sites: Site[] = [];
  for (const position of look.holding(words))
    for (const [at, text] of (await look.lines(position)).entries())
      if (isCode(text) && pattern.test(text)) sites.push({ position, line: at + 1, text });
  return sites;
}

function firstOfFiles<T extends { position: number }>(sites: readonly T[]): T[] {
  return sites.filter(({ position }, at) => sites.findIndex((one) => one.position === position) === at);
}

/** Those lines that decide something, if any does. */
function deciding(sites: readonly Site[]): readonly Site[] {
  const found = sites.filter(({ text }) => decides(text));
  return found.length > 0 ? found : sites;
}

function decides(line: string): boolean {
  return BRANCHES.test(line.replaceAll(/(["'`]).*?\1/g, " "));
}

function used(sites: readonly Site[]): LineAt[] {
  const byFile = Map.groupBy(sites, ({ position }) => position);
  if (byFile.size > MOST_FILES) return [];
  return shared(
    [...byFile].map(([position, own]) => {
      const [line = null, ...others] = own.map((site) => site.line);
      return { position, line, others, certainty: 1, how: "uses" as const };
    }),
  );
}
