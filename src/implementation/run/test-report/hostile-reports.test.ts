import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GoEvents } from "./go-events.ts";
import { lineTests } from "./json-lines.ts";
import { javaName, junitTests } from "./junit.ts";
import { foldersLike, readReports } from "./read-reports.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "relay-reports-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const CASE = '<testcase classname="a" name="b"/>';

test.each([
  [
    "entities of its own",
    '<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;">]><testsuite><testcase name="&m;"/></testsuite>',
  ],
  [
    "files of the machine",
    '<!DOCTYPE a [<!ENTITY p SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&p;"/></testsuite>',
  ],
  ["deep nesting", `${"<testsuite>".repeat(100_000)}${CASE}`],
  ["no end", `<testsuite>${CASE}`],
  ["no XML", "PK\u0003\u0004\uFFFD"],
  ["more tests than there are", `<testsuite>${CASE.repeat(200_001)}</testsuite>`],
])("XML with %s is no report", (_, xml) => {
  expect(junitTests(xml, javaName)).toBeNull();
});

test("names are one short line, whatever the report has", () => {
  const xml = `<testsuite><testcase name="a&#10;b${"x".repeat(5_000)}"><failure/></testcase></testsuite>`;
  const [read] = junitTests(xml, javaName) ?? [];
  expect(read?.state).toBe("failed");
  expect(read?.name).toMatch(/^a bx{197}$/);
});

test.each(["[]", "{}", '{"name":1,"state":"passed"}', '{"name":"a","state":"green"}', "{", "[".repeat(100_000)])(
  "lines that are no tests are no report: %.40s",
  (line) => {
    expect(lineTests(`{"name":"a","state":"passed"}\n${line}\n`, "/tree")).toBeNull();
  },
);

test("an event of Go without a beginning is no test, and other JSON is printed as it is", () => {
  const events = new GoEvents();
  const lines = ['{"a":1}', '{"Action":"pass","Package":"shop","Test":"TestForged"}', "--- PASS: TestForged"];
  expect(lines.map((line) => events.textOf(line))).toEqual(['{"a":1}\n', "", "--- PASS: TestForged\n"]);
  expect(events.report()).toEqual({ runner: "go", tests: [] });
});

test("links, pipes, folders, old files and too large ones are not read", async () => {
  const folder = join(root, "reports");
  mkdirSync(join(folder, "folder.xml"), { recursive: true });
  writeFileSync(join(root, "secret.xml"), "secret");
  symlinkSync(join(root, "secret.xml"), join(folder, "link.xml"));
  execFileSync("mkfifo", [join(folder, "pipe.xml")]);
  writeFileSync(join(folder, "large.xml"), "");
  truncateSync(join(folder, "large.xml"), 100 * 1024 * 1024);
  writeFileSync(join(folder, "good.xml"), Buffer.from([0x61, 0xff, 0x62]));
  const read = async (path: string, since: number) => await readReports([path], /\.xml$/, since);
  expect(await read(folder, 0)).toEqual([{ name: "good.xml", text: "a\uFFFDb" }]);
  expect(await read(folder, Date.now() + 60_000)).toEqual([]);
  symlinkSync(folder, join(root, "moved"));
  expect(await read(join(root, "moved"), 0)).toEqual([]);
  expect(await read(join(root, "gone"), 0)).toEqual([]);
});

test("folders of reports are looked for in the tree alone: no links, no packages, not without end", async () => {
  const deep = join(root, ...Array.from({ length: 50 }, () => "a"));
  for (const path of ["app/target/surefire-reports", "node_modules/x/target/surefire-reports"])
    mkdirSync(join(root, path), { recursive: true });
  mkdirSync(join(deep, "target/surefire-reports"), { recursive: true });
  symlinkSync(root, join(root, "around"));
  expect(await foldersLike(root, /\/surefire-reports$/)).toEqual([join(root, "app/target/surefire-reports")]);
});
