import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

/** The layers of `src/`, lowest first; ARCHITECTURE.md draws the same picture. */
const LAYERS = [
  { name: "ground", folders: ["lib", "i18n"] },
  { name: "domain", folders: ["domain"] },
  { name: "adapters", folders: ["adapters", "storage"] },
  { name: "services", folders: ["code", "notify", "config"] },
  { name: "gates", folders: ["approval", "budget", "dossier"] },
  { name: "steps", folders: ["intake", "planner", "specification", "plan", "implementation"] },
  { name: "engine", folders: ["engine"] },
  { name: "composition", folders: ["app"] },
  { name: "server", folders: ["server"] },
  { name: "surfaces", folders: ["cli"] },
];

const root = resolve(import.meta.dirname, "..");
const source = join(root, "src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.split(sep).join("/"));

function folderOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function layerOf(file: string): number {
  return LAYERS.findIndex(({ folders }) => folders.includes(folderOf(file)));
}

/** Every import of a file, static, dynamic or re-export, as written. */
function importsOf(file: string): string[] {
  const text = textOf(file);
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g);
  return [...found].map((match) => match[1] ?? "").filter((specifier) => specifier.startsWith("."));
}

const product = files.filter((file) => !file.endsWith(".test.ts"));

function textOf(file: string): string {
  return readFileSync(join(source, file), "utf8");
}

/** The packages that a file imports; what Node brings does not count. */
function packagesOf(file: string): string[] {
  const found = textOf(file).matchAll(/(?:^import\b[^;"']*|^export\b[^;"']*\bfrom\s+)["']([^."'][^"']*)["'];/gm);
  const names = [...found].map((match) => match[1] ?? "").filter((name) => !name.startsWith("node:"));
  return names.map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"));
}

const edges = files.flatMap((file) =>
  importsOf(file).map((specifier) => ({
    file,
    target: relative(source, resolve(source, dirname(file), specifier))
      .split(sep)
      .join("/"),
  })),
);

/** Each strongly connected group of files, by Tarjan's algorithm. */
function cycles(): string[][] {
  const targets = new Map(files.map((file) => [file, edges.filter((edge) => edge.file === file)]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const number = order.size;
    let low = number;
    order.set(file, number);
    stack.push(file);
    for (const { target } of targets.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low === number) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) found.push(group);
    }
    return low;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return found;
}

describe("the layers", () => {
  test("every file belongs to a layer", () => {
    expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
  });

  test("a file imports only its own folder and the layers below", () => {
    const wrong = edges.filter(({ file, target }) => {
      const ownTests = file.endsWith(".test.ts") && target.startsWith("../test/");
      if (folderOf(file) === folderOf(target) || ownTests) return false;
      return target.startsWith("..") || layerOf(target) >= layerOf(file);
    });
    expect(wrong).toEqual([]);
  });

  test("product code never imports a test", () => {
    expect(edges.filter(({ file, target }) => !file.endsWith(".test.ts") && target.endsWith(".test.ts"))).toEqual([]);
  });

  test("only config/ reads the environment", () => {
    const readers = files.filter(
      (file) =>
        !file.endsWith(".test.ts") &&
        file !== "config/environment.ts" &&
        /process\s*\.\s*env\b/.test(readFileSync(join(source, file), "utf8")),
    );
    // A child process inherits the environment unless its caller gives another one.
    expect(readers).toEqual(["lib/exec.ts"]);
  });

  test("SQL is only in storage/ and in the local tracker, which keeps its issues in the same database", () => {
    const statement = /\b(?:db|tx|database|client|pool)\.(?:query|one|maybeOne|execute|executeSql)\(/;
    const allowed = ["storage/", "adapters/trackers/local/"];
    const others = product.filter((file) => !allowed.some((folder) => file.startsWith(folder)));
    expect(others.filter((file) => statement.test(textOf(file)))).toEqual([]);
  });

  test("randomness is cryptographic: nothing calls Math.random", () => {
    expect(product.filter((file) => /\bMath\s*\.\s*random\b/.test(textOf(file)))).toEqual([]);
  });

  test("no file of the product has more than 300 lines", () => {
    const long = product.filter((file) => textOf(file).trimEnd().split("\n").length > 300);
    expect(long).toEqual([]);
  });

  test("no file imports itself by way of others, not even for a type", () => {
    expect(cycles()).toEqual([]);
  });

  test("domain/ and lib/ depend on few packages", () => {
    const TRACING = ["api", "exporter-trace-otlp-http", "resources", "sdk-trace"].map((of) => `@opentelemetry/${of}`);
    const allowed: Record<string, string[]> = {
      domain: ["any-ascii", "tinyld", "zod"],
      lib: ["@sapphire/snowflake", "markdown-it", "markdown-it-footnote", "pino", "yaml", ...TRACING],
    };
    const others = product.flatMap((file) => {
      const known = allowed[folderOf(file)];
      if (known === undefined) return [];
      return packagesOf(file)
        .filter((name) => !known.includes(name))
        .map((name) => `${file}: ${name}`);
    });
    expect(others).toEqual([]);
  });
});

const PATH_IN_TEXT = /`([a-zA-Z.][\w.*-]*\/[\w.*/-]*)`/g;

function isThere(path: string): boolean {
  return globSync([path, `src/${path}`, `src/${path}.{ts,js}`], { cwd: root }).length > 0;
}

describe("ARCHITECTURE.md", () => {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const blocks = page.split("\n\n").filter((block) => block.startsWith("    "));

  test("draws the layers, highest first", () => {
    const rows = blocks[0]?.split("\n") ?? [];
    const drawn: { name: string; folders: string[] }[] = [];
    for (const row of rows) {
      const [, name = "", folders = ""] = /^ {4}([a-z]*) +((?:[a-z0-9]+\/ +)+)/.exec(row) ?? [];
      if (name !== "") drawn.push({ name, folders: [] });
      drawn.at(-1)?.folders.push(...folders.replaceAll("/", "").trim().split(/ +/));
    }
    expect(drawn).toEqual(LAYERS.toReversed());
  });

  test("names only files and folders that are there", () => {
    const inText = page.matchAll(PATH_IN_TEXT);
    const inBlocks = blocks.join("\n").matchAll(/(?<![\w/])([a-z0-9]+\/[\w.*/-]*)/g);
    const named = new Set([...inText, ...inBlocks].map((match) => match[1] ?? ""));
    // A reference of git, and a part of the package.
    for (const other of ["refs/relay/runs/", "relay/json"]) named.delete(other);
    expect(named.size).toBeGreaterThan(100);
    expect([...named].filter((path) => !isThere(path))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

  test("names only files and folders that are there", () => {
    const named = [...page.matchAll(PATH_IN_TEXT)].map((match) => match[1] ?? "");
    expect(named.filter((path) => !/NAME|NNNN/.test(path) && !isThere(path))).toEqual([]);
  });
});

test.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("%s names only what the code knows", (file) => {
  const page = readFileSync(join(root, file), "utf8");
  const named = new Set([...page.matchAll(/`([A-Za-z_]\w*)(?:\(\))?`/g)].map((match) => match[1] ?? ""));
  const sources = globSync(["src/**/*.ts", "migrations/*.sql", "test/contracts/*.ts"], { cwd: root });
  const words = new Set(sources.flatMap((path) => readFileSync(join(root, path), "utf8").match(/[A-Za-z_]\w*/g) ?? []));
  expect([...named].filter((name) => !words.has(name))).toEqual([]);
});
