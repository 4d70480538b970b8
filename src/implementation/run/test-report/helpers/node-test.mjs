// A reporter for node:test that writes a line of JSON for each test.
import { resolve } from "node:path";

/** @param {AsyncIterable<{ type: string, data: any }>} source */
export default async function* report(source) {
  const names = [];
  for await (const { type, data } of source) {
    if (type === "test:start") names.splice(data.nesting, names.length, data.name);
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.details?.type === "suite") continue;
    const isSkipped = data.skip !== undefined || data.todo !== undefined;
    const isFile = data.nesting === 0 && resolve(data.name) === data.file;
    // A test that fails because of its inner tests is counted, without a name.
    const isOfInner = data.details?.error?.failureType === "subtestsFailed";
    const state = isSkipped ? "skipped" : type === "test:pass" ? "passed" : "failed";
    const name = isFile ? "" : [...names.slice(0, data.nesting), data.name].join(" > ");
    yield `${JSON.stringify(isOfInner ? { name: "", state } : { file: data.file, name, state })}\n`;
  }
}
