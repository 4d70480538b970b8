import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Explorer, type OpenIndex } from "../index/explorer.ts";
import { locate, reasonText, type Located, type SearchTerms } from "./rank-files.ts";
import { openRepository, type Repository } from "../git/repository.ts";

const FILES: Record<string, string> = {
  "src/cart/total.ts":
    "import { round } from './round';\n\nexport function cartTotal(items) {\n  if (!items) throw new Error('Cannot price an empty cart for ' + user);\n  return round(items);\n}\n",
  "src/cart/round.ts": "export function round(value) {\n  return Math.round(value);\n}\n",
  "src/mail/send.ts": "export class MailSender {\n  async deliver(message) {\n    return message;\n  }\n}\n",
  "src/mail/index.ts": "export * from './send';\n",
  "src/index.ts": "export * from './cart/total';\n",
  "test/total.test.ts": "import { cartTotal } from '../src/cart/total';\n// cartTotal cart total\n",
  "docs/cart.md": "# Cart\n\nThe cart total of cartTotal is rounded.\n",
  "package-lock.json": '{ "cart": "total" }\n',
  "app/shop/pricing/discount.py": "class Discount:\n    def apply(self, price):\n        return price\n",
};

const directory = mkdtempSync(join(tmpdir(), "relay-locate-"));
let repository: Repository;
let explorer: Explorer;
let index: OpenIndex;

beforeAll(async () => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: directory });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "First");
  repository = await openRepository(directory);
  explorer = await Explorer.open(repository.gitDirectory, null);
  index = await explorer.at(repository);
});

afterAll(async () => {
  explorer.close();
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

function find(terms: Partial<SearchTerms>): Promise<Located[]> {
  return locate(index, {
    title: "",
    prose: "",
    code: "",
    frames: [],
    places: [],
    symbols: [],
    messages: [],
    ...terms,
  });
}

const reasons = (found: Located | undefined) => found?.reasons.map(reasonText).join("; ") ?? "";

test("a frame of an installed copy leads to the file and its line", async () => {
  const [first] = await find({
    frames: [{ path: "/srv/app/node_modules/shop/src/cart/total.ts", line: 4, symbol: "cartTotal" }],
  });
  expect(first?.path).toBe("src/cart/total.ts");
  expect(first?.lines[0]?.line).toBe(4);
  expect(reasons(first)).toContain("in the stack trace at line 4 (cartTotal)");
});

test("a message is found by the part that the program did not fill in", async () => {
  const [first] = await find({ title: "It breaks", messages: ["Cannot price an empty cart for 'bob@example.org'"] });
  expect(first?.path).toBe("src/cart/total.ts");
  expect(first?.lines[0]).toMatchObject({ line: 4 });
});

test("a symbol leads to its definition before its uses", async () => {
  const found = await find({ title: "wrong number", symbols: ["cartTotal"] });
  expect(found[0]?.path).toBe("src/cart/total.ts");
  expect(reasons(found[0])).toContain("defines cartTotal");
});

test("a path, a dotted name and a common file name are told apart", async () => {
  expect((await find({ places: [{ path: "cart/round.ts", line: 2, endLine: null }] }))[0]?.path).toBe(
    "src/cart/round.ts",
  );
  expect((await find({ symbols: ["shop.pricing.discount.Discount"] }))[0]?.path).toBe("app/shop/pricing/discount.py");
  const [first] = await find({ title: "mail sender", places: [{ path: "index.ts", line: null, endLine: null }] });
  expect(first?.path).toBe("src/mail/send.ts");
});

test("tests, docs and lock files come after the code, each marked", async () => {
  const lock = { path: "package-lock.json", line: null, endLine: null };
  const found = await find({ title: "cart total", places: [lock] });
  expect(found.map((each) => each.role)).toEqual(
    found.map((each) => each.role).toSorted((a, b) => order(a) - order(b)),
  );
  expect(found.find((each) => each.path === "docs/cart.md")?.role).toBe("docs");
  expect(found.at(-1)?.path).toBe("package-lock.json");
});

test("the same question gets the same answer, and an empty one none", async () => {
  expect(await find({ title: "cart" })).toEqual(await find({ title: "cart" }));
  expect(await find({})).toEqual([]);
  expect(await find({ title: "the a of ((( [[[ \\ *" })).toEqual([]);
});

test("only as many as asked for", async () => {
  const found = await locate(
    index,
    { title: "cart total round", prose: "", code: "", frames: [], places: [], symbols: [], messages: [] },
    { limit: 1 },
  );
  expect(found.filter((each) => each.role === "source")).toHaveLength(1);
});

function order(role: Located["role"]): number {
  return ["source", "config"].includes(role) ? 0 : role === "test" ? 1 : ["docs", "example"].includes(role) ? 2 : 3;
}
