import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { searchTerms } from "./query.ts";
import { locate } from "./rank-files.ts";

const FILES: Record<string, string> = {
  "package.json":
    '{ "name": "kiln", "dependencies": { "got": "^14.0.0", "zod": "^3.0.0", "@clay/glaze": "1.2.0" }, "devDependencies": { "fire": "1" } }\n',
  "pyproject.toml": '[project]\nname = "kiln"\ndependencies = ["PyYAML>=6", "requests"]\n',
  "go.mod": "module example.org/kiln\n\ngo 1.22\n\nrequire github.com/jackc/pgx/v5 v5.6.0\n",
  "Cargo.toml": '[dependencies]\nserde-json = "1"\n',
  "src/orders.ts":
    'import got, { type Options } from "got";\nimport { z } from "zod";\n\nconst options: Options = {};\n\nexport const orders = async () => await got("https://example.org", options).json();\n',
  "src/a.ts": 'import { z } from "zod";\nexport const a = z.string();\n',
  "src/b.ts": 'import { z } from "zod";\nexport const b = z.string();\n',
  "src/c.ts": 'import { z } from "zod";\nexport const c = z.string();\n',
  "src/glaze.ts": 'import { coat } from "@clay/glaze/coat";\n\nexport const shine = (pot) => coat(pot);\n',
  "src/fire.ts": "// The fire is got from glaze.\nexport const fire = () => 'got fire';\n",
  "kiln/recipes.py": "import yaml\n\n\ndef load(text):\n    return yaml.load(text)\n",
  "store/open.go":
    'package store\n\nimport "github.com/jackc/pgx/v5/pgxpool"\n\ntype Store struct {\n\tpool *pgxpool.Pool\n}\n\nfunc Open(url string) Store {\n\treturn Store{pgxpool.New(url)}\n}\n',
  "src/pots.rs": "fn read(text: &str) -> Pot {\n    serde_json::from_str(text).unwrap()\n}\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

async function using(body: string, title = "Odd"): Promise<string[]> {
  const located = await locate(repository.index, searchTerms(readForSearch({ title, body, labels: [] })));
  const found = located.filter(({ reasons }) => reasons.some(({ kind }) => kind === "uses"));
  return found.map(({ path, lines }) => `${path}:${lines[0]?.line ?? ""}`);
}

test("a package that the project depends on leads to where the code calls it", async () => {
  expect(await using("", "got retries too often")).toEqual(["src/orders.ts:6"]);
  expect(await using("`@clay/glaze@1.2.0` is dull.")).toEqual(["src/glaze.ts:3"]);
  expect(await using("", "pyyaml is unsafe")).toEqual(["kiln/recipes.py:5"]);
  expect(await using("`github.com/jackc/pgx/v5` caches statements.")).toEqual(["store/open.go:10"]);
  expect(await using("`serde-json` panics.")).toEqual(["src/pots.rs:2"]);
});

test("a package that many files import, a word of prose, and what the project does not depend on lead nowhere", async () => {
  expect(await using("", "zod is slow")).toEqual([]);
  expect(await using("I got two pots.")).toEqual([]);
  expect(await using("", "requests and axios time out")).toEqual([]);
  expect(await using("", "kiln is cold")).toEqual([]);
});
