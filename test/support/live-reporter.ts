import type { Reporter, TestCase, TestModule } from "vitest/node";

/**
 * Prints a failure when it happens, and what is unfinished when the run is told to stop: the usual reporter tells both
 * at the end, which a run that hangs never reaches.
 */
export class LiveReporter implements Reporter {
  readonly #modules = new Set<TestModule>();
  readonly #tests = new Set<TestCase>();

  onInit(): void {
    process.once("SIGTERM", () => {
      for (const test of this.#tests) console.error(`unfinished: ${test.module.relativeModuleId} > ${test.fullName}`);
      for (const { relativeModuleId } of this.#modules) console.error(`unfinished: ${relativeModuleId}`);
      process.exit(143);
    });
  }

  onTestModuleStart(module: TestModule): void {
    this.#modules.add(module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#modules.delete(module);
  }

  onTestCaseReady(test: TestCase): void {
    this.#tests.add(test);
  }

  onTestCaseResult(test: TestCase): void {
    this.#tests.delete(test);
    const { state, errors = [] } = test.result();
    if (state !== "failed") return;
    console.error(`failed: ${test.module.relativeModuleId} > ${test.fullName}`);
    for (const { stack, message } of errors) console.error(stack ?? message);
  }
}
