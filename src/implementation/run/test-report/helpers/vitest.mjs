// A reporter for Vitest that writes a line of JSON for each test.
import { writeFileSync } from "node:fs";

const STATES = { pass: "passed", passed: "passed", fail: "failed", failed: "failed" };

function write(lines) {
  writeFileSync(process.env.RELAY_VITEST_REPORT, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** The tests of a file, before Vitest 3. */
function testsOf({ tasks }, above = []) {
  return tasks.flatMap((task) => {
    const names = [...above, task.name];
    return task.tasks ? testsOf(task, names) : [{ name: names.join(" > "), state: task.result?.state ?? "skip" }];
  });
}

export default class {
  onFinished(files = []) {
    if (this.isDone) return;
    write(
      files.flatMap((file) => {
        const tests = testsOf(file).map(({ name, state }) => ({ name, state: STATES[state] ?? "skipped" }));
        const isBroken = file.result?.state === "fail" && tests.every(({ state }) => state !== "failed");
        const all = [...tests, ...(isBroken ? [{ name: "", state: "broken" }] : [])];
        return all.map((one) => ({ file: file.filepath, ...one }));
      }),
    );
  }

  onTestRunEnd(modules) {
    this.isDone = true;
    write(
      modules.flatMap((module) => {
        const tests = [...module.children.allTests()].map((test) => ({
          name: test.fullName,
          state: STATES[test.result()?.state] ?? "skipped",
        }));
        const isBroken = module.state() === "failed" && tests.every(({ state }) => state !== "failed");
        const all = [...tests, ...(isBroken ? [{ name: "", state: "broken" }] : [])];
        return all.map((one) => ({ file: module.moduleId, ...one }));
      }),
    );
  }
}
