import { openBucket } from "../../src/adapters/spec-stores/bucket.ts";
import { s3SpecStore } from "../../src/adapters/spec-stores/s3.ts";
import { bucketAccess } from "../../src/config/bucket-access.ts";
import type { SpecRef } from "../../src/domain/spec.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";

/** Writes so many versions of one spec to a bucket, each on the newest, and prints each. */
const [bucketName = "", name = "", count = "1"] = process.argv.slice(2);
const store = s3SpecStore({
  name: bucketName,
  bucket: () => openBucket({ name: bucketName, access: bucketAccess(process.env), sleep }),
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
