import { gitSpecStore } from "../../src/adapters/spec-stores/git.ts";
import { remoteBranch } from "../../src/code/mirror/branch-files.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { writeVersions } from "../support/write-versions.ts";

/** Writes so many versions of one spec to the branch of a remote repository, each on the newest, and prints each. */
const [url = "", home = "", name = "", count = "1"] = process.argv.slice(2);
const branch = remoteBranch(
  { url },
  { home, clock: systemClock },
  {
    name: "relay/specs",
    author: async () => await Promise.resolve({ name, email: `${name}@example.org` }),
    addressOf: async () => await Promise.resolve(null),
  },
);
const store = gitSpecStore({
  branch: "relay/specs",
  branchOf: async () => await Promise.resolve(branch),
  clock: systemClock,
});
await writeVersions(store, name, Number(count));
