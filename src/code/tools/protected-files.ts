import { RelayError } from "../../lib/errors.ts";
import { stripHiddenCharacters } from "../../domain/text/hidden-characters.ts";
import { compileGlob, type PathTest } from "./glob.ts";
import usual from "./protected-files.json" with { type: "json" };

const NAMES = new Set(usual.names);
const FORMATS = new Set(usual.formats);
const FOLDERS = new Set(usual.folders);
const FOLDERS_OF_SETTINGS = new Set(usual.foldersOfSettings);
const FOLDERS_OF_WORDS = new Set(usual.foldersOfWords);
/** Formats that translations use. */
const WORDS = new Set(["json", "yml", "yaml", "properties", "php", "xml", "toml", "ini", "txt"]);
const SETTINGS = new Set(usual.settings);
const PATTERNS = usual.patterns.map((pattern) => new RegExp(pattern));
const STEMS = new RegExp(usual.stems);
const PRODUCTION = new RegExp(usual.production);
const READABLE = new RegExp(usual.readable);
const BACKUP = new RegExp(usual.backups);

/**
 * Creates a test for files that usually hold credentials: listed by name, never opened (R-EXP-3, R-SAFE-7).
 * `protected-files.json` has the usual lists: by name, format, folder, and by words in the names of settings files;
 * examples, templates, public keys and docs may be read. `extra` globs are applied after those; a leading `!` opens the
 * files that match. Ignores case. Throws `RelayError` `config` for a glob that cannot be read.
 */
export function protectedPaths(extra: readonly string[] = []): PathTest {
  const rules = extra.map((rule) => {
    const opens = rule.startsWith("!");
    const glob = compileGlob(opens ? rule.slice(1) : rule, { ignoreCase: true });
    if (glob.kind === "refused") {
      throw new RelayError("config", `cannot read the glob ${JSON.stringify(rule)} of protected files: ${glob.reason}`);
    }
    return { opens, test: glob.test };
  });
  return (path) => {
    // File systems treat these spellings as one name.
    const plain = stripHiddenCharacters(path).replaceAll(/[. ]+(?=\/|$)/g, "");
    return rules.reduce(
      (closed, rule) => (rule.test(path) || (plain !== path && rule.test(plain)) ? !rule.opens : closed),
      spellingsOf(plain.toLowerCase()).some(isUsual),
    );
  };
}

const MOST_SUFFIXES = 3;

/**
 * The path, and the paths of files that it seems to be a copy or backup of: `.pgpass.bak`, `wallet (1).json`,
 * `.env.swp`.
 */
function spellingsOf(path: string): string[] {
  const at = path.lastIndexOf("/") + 1;
  const folder = path.slice(0, at);
  const names = [path.slice(at)];
  for (let round = 0; round < MOST_SUFFIXES; round += 1) {
    const name = (names.at(-1) ?? "").replace(/^(?:copy of |kopie von |copie de |#)/, "");
    const dot = name.lastIndexOf(".");
    const [stem, format] = dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
    const [whole, bare] = [name.replace(BACKUP, ""), stem.replace(BACKUP, "") + format];
    const next = whole === name ? bare : whole;
    if (next === names.at(-1) || next === "") break;
    names.push(next);
  }
  // An editor's swap file has a dot before the name.
  const swapped = names.length > 1 && /\.sw[a-p]$/.test(names[0] ?? "") ? [(names[1] ?? "").replace(/^\./, "")] : [];
  return [...names, ...swapped].map((name) => folder + name);
}

function isUsual(path: string): boolean {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  if (folders.some((folder) => FOLDERS.has(folder))) return !READABLE.test(name);
  if (READABLE.test(name)) return false;
  const dot = name.lastIndexOf(".");
  const [stem, format] = dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot + 1)];
  const isOfWords = WORDS.has(format) && folders.some((folder) => FOLDERS_OF_WORDS.has(folder));
  if (isOfWords) return false;
  if (NAMES.has(name) || (dot > 0 && FORMATS.has(format)) || PATTERNS.some((pattern) => pattern.test(name)))
    return true;
  if (usual.paths.some((end) => path === end || path.endsWith(`/${end}`))) return true;
  if (!SETTINGS.has(format)) return false;
  return (
    STEMS.test(stem) ||
    (format !== "" && PRODUCTION.test(stem)) ||
    (folders.some((folder) => FOLDERS_OF_SETTINGS.has(folder)) && name !== "package.json" && name !== "tsconfig.json")
  );
}
