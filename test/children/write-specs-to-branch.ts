import { gitSpecStore } from "../../src/adapters/spec-stores/git.ts";
import { remoteBranch } from "../../src/code/mirror/branch-files.ts";
import type { SpecRef } from "../../src/domain/spec.ts";
import { systemClock } from "../../src/lib/clock.ts";

/** Writes so many versions of one spec to the branch of a remote repository, each on the newest, and prints each. */
const [url = "", home = "", name = "", count = "1"] = process.argv.slice(2);
const branch = remoteBranch(
  { url },
  { home, clock: systemClock },
  {
    name: "relay/specs",
    author: { name, email: `${name}@example.org` },
    addressOf: async () => await Promise.resolve(null),
  },
);
const store = gitSpecStore({
  branch: "relay/specs",
  branchOf: async () => await Promise.resolve(branch),
  clock: systemClock,
});
const owner = { issueId: "1", provider: "github", externalIssueId: "7", title: "Broken" } as const;
let previous: SpecRef | null = null;
for (let version = 1; version <= Number(count);) {
  const content = `# Spec: ${name} ${version} of ${process.pid}\n${`${version} `.repeat(5_000)}\nend\n`;
  const result = await store.write(owner, content, previous);
  previous = result.kind === "conflict" ? result.current : result.ref;
  if (result.kind === "conflict") continue;
  version += 1;
  process.stdout.write(`${JSON.stringify(result.ref)}\n`);
}
