import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { searchTerms } from "./query.ts";
import { locate } from "./rank-files.ts";

const FILES: Record<string, string> = {
  "README.md":
    "# Kettle\n\nRun `kettle boil`, `kettle pour` or `kettle drain`, with `--litres 2` and `--quick`.\n\n- GET /pots/3 shows one\n- DELETE /pots/3 empties it\n- PUT /pots/3/lid closes it\n",
  "src/bin/kettle.rs":
    '// "pour" pours.\nfn main() {\n    match arg.as_str() {\n        "boil" => boil(),\n        "pour" => pour(),\n        other => usage(other),\n    }\n}\n',
  "src/options.rs": 'pub fn options() {\n    opt("litres", 1);\n    opt("quick", false);\n}\n',
  "src/commands/drain.rs": "pub fn run() {\n    let valve = open();\n    valve.close();\n}\n",
  "src/web/Routes.java":
    'class Routes {\n  void all() {\n    get("/pots/{id}", this::show);\n    delete("/pots/{id}", this::empty);\n    put("/pots/{id}/lid", this::close);\n  }\n}\n',
  "src/web/Guard.java":
    'class Guard {\n  Reply check(Request request) {\n    String key = request.header("Pot-Key");\n    String cup = request.header("Pot-Cup");\n    return Reply.of(HttpStatus.TOO_MANY_REQUESTS);\n  }\n}\n',
  "src/settings.rb": 'class Settings\n  def timeout\n    section("heat")["timeout"] || 30\n  end\nend\n',
  "src/part.ts": "export const isHot = (part) => part === 'handle';\n",
  "cmd/urn/main.go":
    'package main\n\nfunc run(arg string) {\n\tswitch arg {\n\tcase "steep":\n\tcase "rinse":\n\tdefault:\n\t\tprint("usage: urn rinse|steep")\n\t}\n}\n',
  "src/a.ts": 'export const a = pick("loud");\n',
  "src/b.ts": 'export const b = pick("loud");\n',
  "src/c.ts": 'export const c = pick("loud");\n',
  "src/d.ts": 'export const d = pick("loud");\n',
  "src/e.ts": 'export const e = pick("low");\n',
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

/** The place that handles what a text names, or that has others of its kind. */
async function handled(
  body: string,
  title = "Odd",
  kind: "handles" | "beside" | "named" = "handles",
): Promise<string | undefined> {
  const terms = searchTerms(readForSearch({ title, body, labels: [] }));
  const located = await locate(repository.index, terms);
  const found = located.filter(({ reasons }) => reasons.some(({ kind: one }) => one === kind));
  return found.map(({ path, lines }) => `${path}:${lines[0]?.line ?? ""}`)[0];
}

test("a command leads to its branch, never to a comment, or to the file that is named for it", async () => {
  expect(await handled("`kettle pour` spills.")).toBe("src/bin/kettle.rs:5");
  expect(await handled("`kettle boil --litres 2` takes ages.")).toBe("src/bin/kettle.rs:4");
  expect(await handled("After `kettle drain` the valve is open.")).toContain("src/commands/drain.rs");
  expect(await handled("`pour` should ask first.")).toBe("src/bin/kettle.rs:5");
});

test("a word of prose, and a command of another program, lead nowhere", async () => {
  expect(await handled("I pour and it spills; kettle pours tea.")).toBeUndefined();
  expect(await handled("I ran `git pour`.")).toBeUndefined();
  expect(await handled("`other pour` spills.")).toBeUndefined();
  expect(await handled("The `handle` is hot.")).toBeUndefined();
});

test("a route leads to its literal, whatever stands for its parameters", async () => {
  expect(await handled("DELETE /pots/17 says nothing.")).toBe("src/web/Routes.java:4");
  expect(await handled("`/pots/17` is slow.")).toBe("src/web/Routes.java:3");
});

test("an expression that the text quotes leads to the line that has it, one call does not", async () => {
  expect(await handled('`cup = request.header("Pot-Cup")` may be null.', "Odd", "named")).toBe("src/web/Guard.java:4");
  expect(await handled("`section(heat) || 30` is too low.", "Odd", "named")).toBeUndefined();
  expect(await handled('`pick("loud")` is slow.', "Odd", "named")).toBeUndefined();
});

test("a status, a header and a setting lead to where the code has them", async () => {
  expect(await handled("My script gets a 429.")).toBe("src/web/Guard.java:5");
  expect(await handled("It ignores Pot-Key.")).toBe("src/web/Guard.java:3");
  expect(await handled("With heat.timeout = 0 it hangs.")).toBe("src/settings.rb:3");
});

test("what is not there yet belongs beside others of its kind, and nothing is said to handle it", async () => {
  for (const [text, place] of [
    ["Please add `--slow`.", "src/options.rs:3"],
    ["There should be POST /cups too.", "src/web/Routes.java:5"],
    ["I want `kettle whistle`.", "src/bin/kettle.rs:5"],
    ["Take Pot-Lid into account.", "src/web/Guard.java:3"],
    ["With heat.limit = 0 it hangs.", "src/settings.rb:3"],
  ] as const) {
    expect(await handled(text, "Odd", "beside")).toBe(place);
    expect(await handled(text)).toBeUndefined();
  }
});

test("commands that only the program's own usage names are beside each other", async () => {
  expect(await handled("I want `urn chill`.", "Odd", "beside")).toBe("cmd/urn/main.go:6");
});

test("an option that is there is what the user typed; a literal in many files tells nothing", async () => {
  expect(await handled("With `--quick` it is slow.")).toBeUndefined();
  expect(await handled("`loud` is too loud.")).toBeUndefined();
});

test("words that nearly all files have make a reason vague", async () => {
  const terms = searchTerms(readForSearch({ title: "", body: "Can I pick a litre?", labels: [] }));
  const located = await locate(repository.index, terms);
  const vague = located.flatMap(({ path, reasons }) =>
    reasons.flatMap((reason) => (reason.kind === "words" ? [`${path} ${reason.isVague}`] : [])),
  );
  expect(vague).toEqual(expect.arrayContaining(["src/options.rs false", "src/a.ts true"]));
});
