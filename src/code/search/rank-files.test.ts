import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Explorer, type OpenIndex } from "../index/explorer.ts";
import { importNeighbours } from "./neighbours.ts";
import { locate, reasonText, type Located, type SearchTerms } from "./rank-files.ts";
import { outlineOf } from "../outline/outline.ts";
import { bestPlaces } from "./best-places.ts";
import { gatherEvidence } from "./evidence.ts";
import { searchWords } from "./query.ts";
import { aroundOf, foundFile, placesShown, searchCode } from "./search-code.ts";
import { openRepository, type Repository } from "../git/repository.ts";

const CALENDAR =
  "export function mergeCalendars(ours, theirs) {\n  return [...ours, ...theirs].toSorted(byStart);\n}\n";
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
  "src/money/rate.js":
    "export function exchangeRate(from, to) {\n  return table[from][to] ?? fetchRate(from, to);\n}\n",
  "src/money/rate.d.ts": "export function exchangeRate(from: string, to: string): number;\n",
  "src/sync/calendar.ts": CALENDAR,
  "deno/sync/calendar.ts": CALENDAR,
  "packages/badge/src/view.ts": "export function render(theme) {\n  return theme.colour;\n}\n",
  "packages/avatar/src/view.ts": "export function render(theme) {\n  return theme.colour;\n}\n",
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
  for (const day of ["Monday", "Tuesday", "Wednesday"]) git("commit", "-q", "--allow-empty", "-m", `On ${day}`);
  writeFileSync(join(directory, "src/cart/total.ts"), `${FILES["src/cart/total.ts"]}// End\n`);
  git("commit", "-q", "-a", "-m", "Round the cart total half up\n\nMoney first.");
  repository = await openRepository(directory);
  explorer = await Explorer.open(repository.gitDirectory, null);
  index = await explorer.at(repository);
});

afterAll(async () => {
  explorer.close();
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

const NO_TERMS: SearchTerms = {
  title: "",
  prose: "",
  code: "",
  frames: [],
  places: [],
  symbols: [],
  messages: [],
};

function find(terms: Partial<SearchTerms>): Promise<Located[]> {
  return locate(index, { ...NO_TERMS, ...terms });
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

test("a file that a recent commit changed names the commit", async () => {
  const [first] = await find({ title: "the cart total is rounded half down" });
  expect(reasons(first)).toMatch(/changed by [0-9a-f]{8} “Round the cart total half up”/);
});

test("a path is named in the issue, or in the words of who searches", async () => {
  const places = [{ path: "src/cart/round.ts", line: null, endLine: null }];
  expect(reasons((await find({ places }))[0])).toContain("named in the issue as src/cart/round.ts");
  expect(reasons((await find({ places, asked: "words" }))[0])).toContain("named in your words as src/cart/round.ts");
});

test("a reason names the function, and neither everyday words nor parts of a word beside it", async () => {
  const [first] = await find({ title: "such things since the cartTotal support" });
  expect(first?.path).toBe("src/cart/total.ts");
  expect(reasons(first)).toContain("cartTotal speaks of carttotal;");
  expect(reasons(first)).not.toMatch(/such|thing|since|support/);
});

test("a folder that only holds code is no reason", async () => {
  const [first] = await find({ title: "the cart total in src" });
  expect(reasons(first)).toMatch(/its path says [^;]*\bcart\b/);
  expect(reasons(first)).not.toMatch(/its path says [^;]*\bsrc\b/);
});

test("thousands of functions in one another are no trouble", async () => {
  const content = Buffer.from(`${"function cart() {\n total();\n".repeat(5_000)}${"}\n".repeat(5_000)}`);
  const outline = await outlineOf("a.js", "javascript", content.toString());
  const words = searchWords({ ...NO_TERMS, title: "cart total" });
  const evidence = await gatherEvidence(index.corpus, NO_TERMS, words, async () => await Promise.resolve(null));
  expect(bestPlaces(evidence, undefined, content, outline).lines).toHaveLength(5);
});

test("only files that are shown are read for lines and symbols", async () => {
  const outline = vi.spyOn(index, "outline");
  const terms = { title: "cart total round", prose: "", code: "", frames: [], places: [], symbols: [], messages: [] };
  const found = await locate(index, terms, { shown: (ranked) => ranked.slice(0, 1) });
  expect(outline.mock.calls).toEqual([[found[0]?.path]]);
  outline.mockClear();
  const { files, apart } = await searchCode(index, terms, 1);
  expect(outline.mock.calls.map(([path]) => path)).toEqual([...files, ...apart].map(({ path }) => path));
  outline.mockRestore();
});

test("the first line shown is what the function does, not its header or the class around it", async () => {
  const [first] = await find({ title: "MailSender must deliver the message in time", symbols: ["MailSender"] });
  expect(first?.path).toBe("src/mail/send.ts");
  expect(first?.lines[0]).toMatchObject({ line: 3, text: "return message;", symbol: { name: "deliver" } });
});

test("docs of a function that repeat the issue come behind what it does", async () => {
  const content = Buffer.from(
    'def shipping(order):\n    """Free shipping for an order.\n\n    Free shipping of an order is free.\n    """\n    if order.free:\n        return 0\n    return shipping_rate(order)\n',
  );
  const outline = await outlineOf("a.py", "python", content.toString());
  const words = searchWords({ ...NO_TERMS, title: "free shipping of an order" });
  const evidence = await gatherEvidence(index.corpus, NO_TERMS, words, async () => await Promise.resolve(null));
  expect(bestPlaces(evidence, undefined, content, outline).lines[0]?.text).toBe("if order.free:");
});

async function placesIn(text: string, title: string) {
  const outline = await outlineOf("a.js", "javascript", text);
  const evidence = await gatherEvidence(
    index.corpus,
    NO_TERMS,
    searchWords({ ...NO_TERMS, title }),
    async () => await Promise.resolve(null),
  );
  const { lines } = bestPlaces(evidence, undefined, Buffer.from(text), outline);
  const file = { path: "a.js", role: "source" as const, language: "javascript", score: 1, reasons: [], symbols: [] };
  return foundFile({ ...file, lines });
}

const STATEMENTS = Array.from({ length: 70 }, (_, at) => `  step${at}();\n\n`).join("");
const COUPONS =
  "  if (basket.coupons) {\n    for (const coupon of basket.coupons) {\n      deduct(coupon);\n    }\n  }\n";

test("of a long function, the part around the place is shown as well", async () => {
  const text = `function checkout(basket) {\n${STATEMENTS}  audit();\n${COUPONS}\n${STATEMENTS}}\n`;
  const found = await placesIn(text, "coupon is deducted twice from the basket");
  expect(found.symbols.slice(0, 2)).toEqual([
    { kind: "part", name: "checkout", start: 142, end: 147 },
    { kind: "function", name: "checkout", start: 1, end: 289 },
  ]);
  expect(found.lines[0]).toMatchObject({ symbol: "checkout" });
  expect(placesShown(found).map((place) => aroundOf(place))[0]).toBe("in function checkout, lines 142-147");
});

test("a statement in no function is shown as a whole; a short function has no parts", async () => {
  const text = "start();\n\nCheckout.defaults = {\n  coupon: 'deducted',\n  basket: null,\n};\n\nstop();\n";
  const found = await placesIn(text, "coupon is deducted from the basket");
  expect(found.symbols).toEqual([{ kind: "part", name: "Checkout.defaults = {", start: 3, end: 6 }]);
  expect(placesShown(found).map((place) => aroundOf(place))[0]).toBe("lines 3-6");
  const short = await placesIn(`function checkout(basket) {\n${COUPONS}}\n`, "coupon is deducted");
  expect(short.symbols).toEqual([{ kind: "function", name: "checkout", start: 1, end: 7 }]);
});

test("lines that follow one another without a gap are shown around the place, as many before it as after it", async () => {
  const runs = "run();\n".repeat(5_000);
  const last = await placesIn(`${runs}deduct(coupon);\n`, "deduct the coupon");
  expect(last.symbols).toMatchObject([{ kind: "part", start: 4_962, end: 5_001 }]);
  const middle = await placesIn(`${runs}deduct(coupon);\n${runs}`, "deduct the coupon");
  expect(middle.symbols).toMatchObject([{ kind: "part", start: 4_982, end: 5_021 }]);
});

test("each place has its own part, which takes in no function beside it", async () => {
  const text =
    "function honey() {\n  return bee(1);\n}\nbee(coupon, basket);\nfoo();\nbasket(coupon);\nfunction short(a) {\n  return coupon(a);\n}\n";
  const found = await placesIn(text, "coupon of the basket");
  expect(placesShown(found).map(({ line, ...place }) => [line, aroundOf(place)])).toEqual([
    [4, "lines 4-6"],
    [8, "function short, lines 7-9"],
  ]);
  expect(found.lines[0]).toMatchObject({ line: 4, symbol: null, part: { start: 4, end: 6 } });
});

test("a part contains its line, also where what is around it is long and has empty lines", async () => {
  const text = `function miss() {\n  if (outer) {\n${"    a();\n".repeat(57)}    if (inner) {\n      b();\n\n      deduct(coupon);\n    }\n  }\n${"\n  pad();\n".repeat(70)}}\n`;
  const found = await placesIn(text, "deduct the coupon");
  expect(found.lines[0]).toMatchObject({ line: 63, part: { start: 60, end: 64 } });
});

test("the header of a long function is no part of it, whatever stands above it", async () => {
  const text = `class Cart {\n  @cached\n  @logged("x")\n  coupon(basket) {\n${"    run();\n\n".repeat(70)}  }\n}\n`;
  const found = await placesIn(text, "the coupon of the basket is logged");
  expect(found.lines.every(({ line, part }) => line > 4 || part === undefined)).toBe(true);
});

test("a part in no function is named by the beginning of its first line, never by half a character", async () => {
  const found = await placesIn(`${"a".repeat(59)}😀();\ndeduct(coupon);\n`, "deduct the coupon");
  expect(found.symbols).toMatchObject([{ kind: "part", name: "a".repeat(59), start: 1, end: 2 }]);
  const long = await placesIn(`"${"x".repeat(1_000)}";\ndeduct(coupon);\n`, "deduct the coupon");
  expect(long.symbols[0]?.name).toBe(`"${"x".repeat(59)}`);
});

test("a line of the stack trace that has moved is looked for in its function", async () => {
  const [first] = await find({ frames: [{ path: "src/cart/total.ts", line: 1, symbol: "shop.cartTotal" }] });
  expect(first?.lines[0]?.symbol?.name).toBe("cartTotal");
});

test("a declaration comes behind the code that it describes", async () => {
  const paths = (await find({ title: "exchangeRate from string to number is wrong" })).map(({ path }) => path);
  expect(paths.slice(0, 2)).toEqual(["src/money/rate.js", "src/money/rate.d.ts"]);
});

test("a copy in a mirrored tree comes behind its original", async () => {
  const paths = (await find({ title: "Merge of calendars loses the start" })).map(({ path }) => path);
  expect(paths.slice(0, 2)).toEqual(["src/sync/calendar.ts", "deno/sync/calendar.ts"]);
  const all = await find({ title: "Merge of calendars loses the start" });
  expect(all[1]?.score).toBeLessThan(0.9 * (all[0]?.score ?? 0));
});

test("a package that the issue names as its area comes first", async () => {
  const paths = async (areas: string[]) => (await find({ title: "Wrong theme colour", areas })).map(({ path }) => path);
  expect((await paths(["@acme/badge"]))[0]).toBe("packages/badge/src/view.ts");
  expect((await paths(["Avatars"]))[0]).toBe("packages/avatar/src/view.ts");
});

test("a file of the stack trace does not count once more as a file named in prose", async () => {
  const frames = [{ path: "src/cart/total.ts", line: 4, symbol: null }];
  const places = [{ path: "total.ts", line: 4, endLine: null }];
  const [first] = await find({ frames, places });
  expect(first?.reasons.map(({ kind }) => kind)).toEqual(["frame"]);
});

function order(role: Located["role"]): number {
  return ["source", "config"].includes(role) ? 0 : role === "test" ? 1 : ["docs", "example"].includes(role) ? 2 : 3;
}

test("neighbours are the code files one import away, in both directions", async () => {
  expect(await importNeighbours(index, ["src/cart/total.ts", "nowhere.ts"])).toEqual([
    { path: "src/cart/round.ts", of: "src/cart/total.ts", why: "imported" },
    { path: "src/index.ts", of: "src/cart/total.ts", why: "imports" },
  ]);
  expect(await importNeighbours(index, ["src/mail/index.ts"])).toEqual([
    { path: "src/mail/send.ts", of: "src/mail/index.ts", why: "imported" },
  ]);
});
