import type { SpecStore } from "../../src/adapters/spec-stores/spec-store.ts";
import type { SpecRef } from "../../src/domain/spec.ts";

/** Writes so many versions of one spec, each on the newest, and prints each reference. */
export async function writeVersions(store: SpecStore, name: string, count: number): Promise<void> {
  const owner = { issueId: "1", provider: "github", externalIssueId: "7", title: "Broken" } as const;
  let previous: SpecRef | null = null;
  for (let version = 1; version <= count;) {
    const content = `# Spec: ${name} ${version} of ${process.pid}\n${`${version} `.repeat(5_000)}\nend\n`;
    const result = await store.write(owner, content, previous);
    previous = result.kind === "conflict" ? result.current : result.ref;
    if (result.kind === "conflict") continue;
    version += 1;
    process.stdout.write(`${JSON.stringify(result.ref)}\n`);
  }
}
