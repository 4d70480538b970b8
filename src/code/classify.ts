const FILE_ROLES = [
  "source",
  "config",
  "test",
  "example",
  "docs",
  "generated",
  "vendored",
  "minified",
  "lock",
  "asset",
] as const;

/** The purpose of a file, by its path. */
export type FileRole = (typeof FILE_ROLES)[number];

export interface FileClass {
  role: FileRole;
  /** Name of the language, in lower case; `null` for an unknown extension. */
  language: string | null;
}

const LANGUAGES: Record<string, string> = {
  ...named("javascript", "js mjs cjs jsx es6"),
  ...named("typescript", "ts mts cts tsx"),
  ...named("python", "py pyi pyx"),
  ...named("go", "go"),
  ...named("rust", "rs"),
  ...named("java", "java"),
  ...named("kotlin", "kt kts"),
  ...named("scala", "scala sc"),
  ...named("c", "c h"),
  ...named("cpp", "cc cpp cxx hpp hh hxx ipp"),
  ...named("csharp", "cs"),
  ...named("ruby", "rb rake gemspec"),
  ...named("php", "php phtml"),
  ...named("swift", "swift"),
  ...named("objective-c", "m mm"),
  ...named("shell", "sh bash zsh fish"),
  ...named("powershell", "ps1 psm1"),
  ...named("sql", "sql"),
  ...named("html", "html htm"),
  ...named("css", "css scss sass less"),
  ...named("vue", "vue"),
  ...named("svelte", "svelte"),
  ...named("astro", "astro"),
  ...named("dart", "dart"),
  ...named("elixir", "ex exs"),
  ...named("erlang", "erl hrl"),
  ...named("haskell", "hs"),
  ...named("ocaml", "ml mli"),
  ...named("clojure", "clj cljs cljc"),
  ...named("lua", "lua"),
  ...named("perl", "pl pm"),
  ...named("r", "r"),
  ...named("julia", "jl"),
  ...named("zig", "zig"),
  ...named("groovy", "groovy gradle"),
  ...named("protobuf", "proto"),
  ...named("graphql", "graphql gql"),
  ...named("template", "jinja jinja2 j2 ejs hbs mustache erb twig liquid tmpl"),
  ...named("json", "json json5 jsonc"),
  ...named("yaml", "yml yaml"),
  ...named("toml", "toml"),
  ...named("xml", "xml xsd"),
  ...named("ini", "ini cfg conf properties env editorconfig"),
  ...named("markdown", "md mdx markdown"),
  ...named("text", "rst txt adoc asciidoc"),
};

const CONFIG_LANGUAGES = new Set(["json", "yaml", "toml", "xml", "ini"]);
const DOCS_LANGUAGES = new Set(["markdown", "text"]);

const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__tests?__|specs?|testing|testdata|test-data|fixtures?|__fixtures__|__mocks__|mocks?|e2e|cypress|__snapshots__|integration-?tests?|test-?utils?|test-?support|benches|benchmarks?|androidtest|[a-z]+[-_.]tests?)\//;
const TEST_FILE =
  /(?:\.(?:test|tests|spec|specs|test-d|e2e|bench|cy|stories)\.[a-z]+|_(?:test|spec)\.[a-z]+|(?:^|\/)(?:test_[^/]*|conftest)\.py|\.snap)$/;
/** Case-sensitive: `FooTest.java` is a test, `latest.java` is not. */
const TEST_CLASS = /[a-z0-9](?:Tests?|Spec|IT)\.(?:java|kt|scala|cs|swift|groovy|php)$/;
const VENDORED =
  /(?:^|\/)(?:node_modules|vendor|vendors|vendored|_vendor|compiled|third[-_]?party|3rd[-_]?party|bower_components|external|externals|\.yarn|deps)\//;
const GENERATED =
  /(?:^|\/)(?:dist|build|out|target|generated|__generated__|deno[-_]dist|\.next|coverage)\/|\.(?:map|pb\.go|g\.dart|designer\.cs)$|_pb2(?:_grpc)?\.py$|[._-]generated\.[a-z]+$/;
const GENERATED_PACKAGE = /\/(?:__)?generated(?:__)?\//;
const MINIFIED = /[.-]min\.(?:js|css|mjs|cjs)$/;
const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pipfile\.lock|composer\.lock|gemfile\.lock|bun\.lockb?|packages\.lock\.json|podfile\.lock|mix\.lock|flake\.lock)$|\.lock$/;
const ASSETS = new Set(
  "png jpg jpeg gif svg ico icns webp avif bmp tif tiff woff woff2 ttf otf eot pdf zip gz tgz bz2 xz 7z jar war class wasm so dylib dll exe bin node mp3 mp4 mov webm ogg wav psd sketch po pot mo csv tsv parquet ipynb keystore pem crt key p12 golden bundle sqlite db".split(
    " ",
  ),
);
const OPAQUE = new Set([...ASSETS, "lock"]);
/** Extensions that lock files share with other files. */
const MAY_BE_LOCK = new Set(["json", "yaml", "sum", "lockb"]);
const EXAMPLE = /(?:^|\/)(?:examples?|samples?|demos?|playgrounds?|sandbox)\//;
/** Languages whose folders spell a package, which may be called like a folder of examples: `src/main/java/org/example`. */
const PACKAGED = new Set(["java", "kotlin", "scala", "groovy", "clojure"]);
const SOURCE_SET = /(?:^|\/)src\/[a-z0-9_-]+\/(?:java|kotlin|scala|groovy|clojure)(?:-[\d.]+)?\//;
/** `com/example`: a domain is no folder that one makes for examples. */
const DOMAIN = /(?:^|\/)(?:com|org|net|io|dev|edu|gov|app|[a-z]{2})\/(?=(?:example|sample|demo)\/)/;
/** A namespace or package of its own below the sources: `src/Example/Cart.php`, `src/example/cart.py`. */
const NAMESPACE = /^(?:[^/]+\/)*(?:src|lib|app)\/(?:[^/]+\/)*(?=(?:Example|Sample|Demo)\/)/;
const PYTHON_PACKAGE = /(?:^|\/)src\/(?=(?:example|sample|demo)\/)/;
const DOCS =
  /(?:^|\/)(?:docs?|documentation|website|\.github\/issue_template)\/|(?:^|\/)(?:changelog|changes|authors|contributors|contributing|history|readme|releases?|license|licence|notice|copying|security|code_of_conduct|upgrading|migration)(?:[.-][^/]*)?$/;
const CONFIG =
  /(?:^|\/)(?:dockerfile|makefile|rakefile|gemfile|procfile|justfile|jenkinsfile|cmakelists\.txt|setup\.py|go\.mod|requirements[^/]*\.txt|pom\.xml|[^/]+\.config\.[cm]?[jt]s|\.[^/]+rc(?:\.[a-z]+)?|\.gitignore|\.gitattributes|\.npmrc)$|(?:^|\/)config\/(?!(?:routes|bootstrap)\b)[\w.-]+\.(?:php|exs)$|^\.(?:github|circleci|vscode|husky)\//;

/** Classifies a file by its path alone. The first matching rule decides; generated kinds come first. */
export function classify(path: string): FileClass {
  const lower = path.toLowerCase();
  const language = languageOf(lower);
  return { role: roleOf(path, lower, language), language };
}

const SAYS_GENERATED =
  /@generated\b|\bgenerated\b[^]{0,300}\b(?:do not|don't|never) (?:edit|modify|change)\b|\b(?:do not|don't|never) (?:edit|modify|change)\b[^]{0,300}\bgenerated\b/i;
const FIRST_LINES = 8;
/** How many UTF-16 units at the start of a file are searched for a generator's note. */
export const BEGINNING = 1_500;

/** Whether the first lines of a text say that it is generated: a change belongs in what it is generated from. */
export function saysGenerated(text: string): boolean {
  return SAYS_GENERATED.test(text.slice(0, BEGINNING).split("\n", FIRST_LINES).join("\n"));
}

/** Whether indexing the text of a file is useless: pictures, archives, lock files, minified code. */
export function isOpaque(path: string): boolean {
  const lower = path.toLowerCase();
  const extension = lower.slice(lower.lastIndexOf(".") + 1);
  return OPAQUE.has(extension) || (MAY_BE_LOCK.has(extension) && LOCK.test(lower)) || MINIFIED.test(lower);
}

function roleOf(path: string, lower: string, language: string | null): FileRole {
  if (LOCK.test(lower)) return "lock";
  if (MINIFIED.test(lower)) return "minified";
  if (VENDORED.test(lower)) return "vendored";
  const outside = withoutPackage(path, lower, language);
  if (GENERATED.test(outside) || GENERATED_PACKAGE.test(lower)) return "generated";
  if (ASSETS.has(lower.slice(lower.lastIndexOf(".") + 1))) return "asset";
  if (TEST_FOLDER.test(lower) || TEST_FILE.test(lower) || TEST_CLASS.test(path)) return "test";
  if (CONFIG.test(lower)) return "config";
  if (language !== null && DOCS_LANGUAGES.has(language)) return "docs";
  if (EXAMPLE.test(outside)) return "example";
  if (DOCS.test(outside)) return "docs";
  if (language === null || CONFIG_LANGUAGES.has(language)) return "config";
  return "source";
}

/** The path down to where its package begins, and the file's name: packages may be called anything. */
function withoutPackage(path: string, lower: string, language: string | null): string {
  const begins =
    language !== null && PACKAGED.has(language)
      ? (SOURCE_SET.exec(lower) ?? DOMAIN.exec(lower))
      : language === "php"
        ? NAMESPACE.exec(path)
        : language === "python"
          ? PYTHON_PACKAGE.exec(lower)
          : null;
  return begins === null
    ? lower
    : `${lower.slice(0, begins.index + begins[0].length)}${lower.slice(lower.lastIndexOf("/") + 1)}`;
}

function languageOf(lower: string): string | null {
  const extension = /\.([a-z0-9]+)$/.exec(lower)?.[1];
  return extension === undefined ? null : (LANGUAGES[extension] ?? null);
}

function named(language: string, extensions: string): Record<string, string> {
  return Object.fromEntries(extensions.split(" ").map((extension) => [extension, language]));
}
