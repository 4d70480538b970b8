import { z } from "zod";
import { MOST_TESTS, type ReportedTest, type TestReport, testName } from "./reported-test.ts";

/** An event of `go test -json`. */
const eventSchema = z.object({
  Action: z.string(),
  Package: z.string().optional(),
  ImportPath: z.string().optional(),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

const STATES: Readonly<Record<string, ReportedTest["state"]>> = { pass: "passed", fail: "failed", skip: "skipped" };

/** Reads the events of `go test -json` as they arrive, and returns the text that Go prints without that flag. */
export class GoEvents {
  readonly #running = new Set<string>();
  readonly #tests: ReportedTest[] = [];
  readonly #red = new Set<string>();
  #isAny = false;

  /** The text of a line, with its end; other lines stay as they are. */
  readonly textOf = (line: string): string => {
    const broken = /^FAIL\t(\S+) \[(?:build|setup) failed\]/.exec(line)?.[1];
    if (broken !== undefined) this.#add({ name: testName(broken), state: "broken" }, broken);
    const event = eventOf(line);
    if (event === null) return `${line}\n`;
    this.#isAny = true;
    const { Action: action, Package: owner, Test: test, Output: output = "" } = event;
    if (owner !== undefined) this.#note(action, owner, test);
    return output;
  };

  /** Null if `go test -json` printed no events. */
  report(): TestReport | null {
    const isAny = this.#isAny || this.#tests.length > 0;
    return isAny && this.#tests.length <= MOST_TESTS ? { runner: "go", tests: this.#tests } : null;
  }

  #note(action: string, owner: string, test: string | undefined): void {
    const name = test === undefined ? owner : `${owner}.${test}`;
    if (action === "run") this.#running.add(name);
    const state = STATES[action];
    if (state === undefined) return;
    if (test === undefined) {
      // A package fails because of its tests, or as a whole.
      if (state === "failed" && !this.#red.has(owner)) this.#add({ name: testName(owner), state: "broken" }, owner);
      // Tests can print lines like Go's own; a test that never started did not run.
    } else if (this.#running.delete(name)) this.#add({ name: testName(name), state }, owner);
  }

  #add(test: ReportedTest, owner: string): void {
    if (test.state === "failed" || test.state === "broken") this.#red.add(owner);
    if (this.#tests.length <= MOST_TESTS) this.#tests.push(test);
  }
}

function eventOf(line: string): z.infer<typeof eventSchema> | null {
  if (!line.startsWith('{"')) return null;
  try {
    return eventSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
