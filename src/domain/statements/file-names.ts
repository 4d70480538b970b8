/** Names of files and folders as people write them, and the paths that they mean. */

/** All files of a kind, as people call them: behind an article, by themselves, and in Chinese and Japanese. */
const TESTS = {
  determined: "tests|test (?:suite|files|cases|code)|pruebas|testes",
  alone: "testdateien|тест(?:ы|ов|ам)",
  zh: "测试(?:文件|代码|用例)",
  ja: "テスト(?:ファイル|コード)?",
};
/** The folder of the code, by itself: “nothing in src”. */
const SOURCES = "src|lib";
/** Words before it; “the lib” is no folder. */
const INSIDE =
  "in|inside|under|of|to|touch|change|edit|modify|leave|lass|deja|laisse|laissez|deixe|оставь|unter|von|an|en|dentro de|dans|à|em|no|na|в|внутри|менять|трогать|трогай(?:те)?";
const IS_TESTS = new RegExp(`^(?:${Object.values(TESTS).join("|")})$`, "iu");
/** “Write tests” names none. */
const DETERMINED = "the|any|our|my|your|all|other|existing|die|den|der|unseren?|alle|les|aux|nos|las|los|os|aos|nossos";
/** Those, and files that people name without their endings: “the README”. */
export const BARE = new RegExp(
  String.raw`(?<![\w@./\\\x60-])(?:(?:readme|changelog|makefile|dockerfile|license|licence|contributing|jenkinsfile|gemfile|rakefile|procfile|vagrantfile|justfile|codeowners|(?<=(?:${DETERMINED}) )(?:${TESTS.determined})|${TESTS.alone}|(?<=(?:^|[^\p{L}])(?:${INSIDE}) )(?:${SOURCES})|(?<=\p{Script=Han}\s?)(?:${SOURCES})(?=\s?(?:里|中|内|下|目录|文件夹|の|フォルダ|ディレクトリ))|(?:${SOURCES})(?=\s?(?:目录|文件夹|フォルダ|ディレクトリ|の中|内の|以下|配下)))(?![\p{L}\p{N}_/\x60-]|\.\w)|${TESTS.zh}|${TESTS.ja}(?=[をはに]))`,
  "giu",
);
/** Paths of tests, by their folders and names. */
const TEST_PATH =
  /(?:^|\/)(?:tests?|__tests__|specs?|testing|e2e)\/|(?:^|\/)(?:test_[^/]+|[^/]+[._-](?:tests?|spec)\.[^/]+|[^/]+Tests?\.\w+|conftest\.py)$/;
/** All files but these. */
export const allBut = (names: readonly string[]) => `!(${names.join("|")})`;

/** The names in `!(a.ts|b.ts)`; none where a name forbids itself. */
export function namesLeft(forbidden: string): string[] {
  return /^!\((.+)\)$/.exec(forbidden)?.[1]?.split("|") ?? [];
}

/** Names of forbidden places without those that were set free since: `src/time/!(zone.js)` is all of it but this file. */
export function withoutFreed(forbidden: string, freed: readonly string[]): string | null {
  const left = namesLeft(forbidden);
  if (left.length > 0) return allBut([...new Set([...left, ...freed])]);
  const names = freed.flatMap((name) => (isNamed(forbidden, [name]) ? [""] : (restIn(name, forbidden) ?? [])));
  if (names.includes("")) return null;
  const folder = forbidden.replace(/\/+$/, "");
  return names.length === 0 ? forbidden : `${folder}/${allBut([...new Set(names)])}`;
}

/** A name of a file by its way from a folder; null if it is in another one, or the folder is a file. */
function restIn(name: string, folder: string): string | null {
  const file = name.replace(/^\.?\//, "").replace(/\/+$/, "");
  if (IS_TESTS.test(folder)) return TEST_PATH.test(file) ? file : null;
  const own = folder.replace(/^\.?\//, "").replace(/\/+$/, "");
  if (/[^/.]\.\w{1,6}$/.test(own)) return null;
  if (!file.includes("/")) return /\.\w{1,6}$/.test(file) ? file : null;
  const parts = own.split("/");
  const known = parts.map((_, at) => `${parts.slice(at).join("/")}/`).find((end) => file.startsWith(end));
  return known === undefined ? null : file.slice(known.length);
}

/** `src/time/!(zone.js|a.js)` in its parts. */
const IN_PART = /^(.*[^/])\/!\(([^()\s]+)\)$/;

function isForbiddenInPart(path: string, name: string): boolean {
  const [, folder = "", left = ""] = IN_PART.exec(name) ?? [];
  if (folder === "" || !isForbidden(path, [folder])) return false;
  return !left.split("|").some((file) => `/${path}`.endsWith(`/${file}`) || `/${path}`.includes(`/${file}/`));
}

/** Whether a name that people wrote is the end of a path, or the path's own folder. */
export function isNamed(path: string, names: readonly string[]): boolean {
  return names.some((name) => {
    const plain = name.replace(/^\.?\//, "").replace(/\/$/, "");
    return plain !== "" && (`/${path}`.endsWith(`/${plain}`) || (plain.includes("/") && path.startsWith(`${plain}/`)));
  });
}

/** Whether a path is forbidden by name; here `src` is the folder at the root, too. */
export function isForbidden(path: string, names: readonly string[]): boolean {
  const others = names.map(namesLeft).filter((left) => left.length > 0);
  if (others.some((left) => !isForbidden(path, left))) return true;
  if (names.some((name) => isForbiddenInPart(path, name))) return true;
  const plain = names.map((name) => name.replace(/^\.?\/|\/(?:\*\*?)?$/g, ""));
  const stem = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
  if (plain.some((name) => isBareName(name) && name.toLowerCase() === stem.toLowerCase())) return true;
  if (TEST_PATH.test(path) && plain.some((name) => IS_TESTS.test(name))) return true;
  return isNamed(path, plain) || plain.some((name) => path.startsWith(`${name}/`) || matchesGlob(path, name));
}

/** Of a glob, `*` is no slash, and `**` may be folders. One with more stars names nothing: it would be slow. */
function matchesGlob(path: string, name: string): boolean {
  const stars = name.match(/\*+/g) ?? [];
  if (stars.length === 0 || stars.length > MOST_STARS) return false;
  const parts = name.split(/(\*\*\/|\*{1,2})/).map((part) => {
    if (part === "**/") return "(?:.+/)?";
    if (/^\*+$/.test(part)) return part === "*" ? "[^/]*" : ".*";
    return part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^(?:.*/)?${parts.join("")}$`).test(path);
}

const MOST_STARS = 2;

/** By its path, or as `README` and “tests” without an ending. */
export const isFile = (name: string) => isPath(name) || isBareName(name);
const isBareName = (name: string) => name.search(BARE) === 0 || IS_TESTS.test(name);

export function isPath(name: string): boolean {
  return IN_PART.test(name) || (/\/|^[\w@+-][\w@.+-]*\.[A-Za-z]{1,6}$/.test(name) && !/\s|\(/.test(name));
}
