import { openBucket } from "../../src/adapters/spec-stores/bucket.ts";
import { s3SpecStore } from "../../src/adapters/spec-stores/s3.ts";
import { bucketAccess } from "../../src/config/bucket-access.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { writeVersions } from "../support/write-versions.ts";

/** Writes so many versions of one spec to a bucket, each on the newest, and prints each. */
const [bucketName = "", name = "", count = "1"] = process.argv.slice(2);
const store = s3SpecStore({
  name: bucketName,
  bucket: () => openBucket({ name: bucketName, access: bucketAccess(process.env), sleep }),
  clock: systemClock,
});
await writeVersions(store, name, Number(count));
