import { systemClock } from "../../src/lib/clock.ts";
import type { SpecRef } from "../../src/domain/spec.ts";
import { localSpecStore } from "../../src/adapters/spec-stores/local.ts";

/** Writes version after version of one spec until it is killed; `root` and the first version are arguments. */
const [root = "", from = "1"] = process.argv.slice(2);
const store = localSpecStore({ root, clock: systemClock });
let previous: SpecRef | null = null;
for (let version = Number(from); ; version += 1) {
  const content = `# Spec: version ${version}\n${`${version} `.repeat(20_000)}\nend of ${version}\n`;
  const result = await store.write(
    { issueId: "1", provider: "local", externalIssueId: "7", title: "Broken" },
    content,
    previous,
  );
  if (result.kind === "conflict") version -= 1;
  else process.stdout.write(`${JSON.stringify(result.ref)}\n`);
  previous = result.kind === "conflict" ? result.current : result.ref;
}
