import { expect, test } from "vitest";
import { readForSearch } from "./issue-reading.ts";

const named = (body: string) =>
  readForSearch({ title: "", body, labels: [] }).facts.surfaces.map(({ kind, as }) => `${kind} ${as}`);

test("commands are read from code only, up to their first argument", () => {
  expect(named("`kettle pour CUP --hot` and `pour`, but not kettle drain.")).toEqual([
    "command kettle pour",
    "command pour",
    "option --hot",
  ]);
  expect(named("`kettle move URL フォルダ` を足しましょう。")).toEqual(["command kettle move"]);
  expect(named("`npm run build` and `a.b()` and `x => y`")).toEqual([]);
  expect(named("```\n$ kettle boil 2\nboiling\n```\n")).toEqual(["command kettle boil"]);
});

test("routes, headers, settings and statuses are read from prose in any language", () => {
  expect(named("POST /pots/3/tea 返回 429，没有 Retry-After。")).toEqual([
    "route POST /pots/3/tea",
    "status 429",
    "header Retry-After",
  ]);
  expect(named("Mit heat.timeout = 5 und /healthz")).toEqual(["route /healthz", "setting heat.timeout"]);
});

test("amounts, issues, paths and sites are none of these", () => {
  expect(named("500 MB, #404, 1.500, 450%, 12:450, https://example.org/pots/3 and src/pots.ts")).toEqual([]);
  expect(named("on 2026-04-20 it took 500 ms, for $450")).toEqual([]);
});

test("an option counts as typed where it only stands in a command line", () => {
  const typed = (body: string) =>
    readForSearch({ title: "", body, labels: [] }).facts.surfaces.flatMap((one) =>
      one.kind === "option" ? [`${one.as} ${one.isTyped}`] : [],
    );
  expect(typed("`kettle pour --hot CUP` spills, `--cold` does not, --warm 2 neither; `--mild 3` too.")).toEqual([
    "--hot true",
    "--cold false",
    "--warm false",
    "--mild false",
  ]);
});

test("names in capitals and quoted expressions are surfaces, calls by themselves are not", () => {
  expect(named("`POT_LITRES=2` and `this.lid.open().wait()`, `lid.open(1)`, `lid.open`")).toContain(
    "code this.lid.open().wait()",
  );
  expect(named("`POT_LITRES=2`")).toEqual(["variable POT_LITRES"]);
  expect(named("`lid.open(1)`")).toEqual([]);
});
