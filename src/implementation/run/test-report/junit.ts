import { SaxesParser } from "saxes";
import { MOST_TESTS, type ReportedTest, testName } from "./reported-test.ts";

/** The deepest nesting of elements; runners need about six levels. */
const DEEPEST = 100;

/** The attributes of a `testcase`. */
export type JunitCase = Readonly<Record<string, string>>;

/**
 * The tests of a report in JUnit XML; null if it is malformed or too large. The code under test could write it: its own
 * entities are errors, nothing is loaded, and text is not kept.
 */
export function junitTests(xml: string, nameOf: (test: JunitCase) => string): ReportedTest[] | null {
  const tests: ReportedTest[] = [];
  const open: string[] = [];
  let test: ReportedTest | null = null;
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes, isSelfClosing }) => {
    if (open.length >= DEEPEST || tests.length >= MOST_TESTS) throw new Error("out of bounds");
    if (name === "testcase") {
      test = { name: testName(nameOf(attributes)), state: "passed" };
      tests.push(test);
    } else if (test !== null && open.at(-1) === "testcase") test.state = STATES[name] ?? test.state;
    if (!isSelfClosing) open.push(name);
  });
  parser.on("closetag", ({ name, isSelfClosing }) => {
    if (!isSelfClosing) open.pop();
    if (name === "testcase") test = null;
  });
  try {
    parser.write(xml).close();
    return tests;
  } catch {
    return null;
  }
}

const STATES: Readonly<Record<string, ReportedTest["state"]>> = {
  failure: "failed",
  error: "failed",
  skipped: "skipped",
};

/**
 * As pytest prints it: `tests/test_cart.py::TestCart::test_total`; a file that cannot be imported is an entry itself.
 */
export function pytestName({ file, classname = "", name = "" }: JunitCase): string {
  if (file === undefined) return [classname, name].filter(Boolean).join(".");
  if (classname === "") return file;
  const module = file.replace(/\.py$/, "").replaceAll("/", ".");
  const classes = classname.startsWith(`${module}.`) ? classname.slice(module.length + 1).split(".") : [];
  return [file, ...classes, name].join("::");
}

/** As PHPUnit prints it: `CartTest::testTotal`. */
export function phpunitName({ class: owner, classname = "", name = "" }: JunitCase): string {
  return `${owner ?? classname.replaceAll(".", "\\")}::${name}`;
}

/** `com.shop.CartTest.total` */
export function javaName({ classname = "", name = "" }: JunitCase): string {
  return [classname, name].filter(Boolean).join(".");
}
