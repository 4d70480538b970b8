import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeSpecStore } from "../../../test/contracts/spec-store.ts";
import { hasRadosGateway, startRadosGateway } from "../../../test/support/rados-gateway.ts";
import { type SpecRef, specRefSchema } from "../../domain/spec.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { type BucketAccess, openBucket } from "./bucket.ts";
import { s3SpecStore } from "./s3.ts";
import type { SpecOwner, SpecStore } from "./spec-store.ts";

const CHILD = join(import.meta.dirname, "../../../test/children/write-specs-to-bucket.ts");
const owner: SpecOwner = { issueId: "1", provider: "github", externalIssueId: "7", title: "Broken" };

describe.skipIf(!hasRadosGateway())("a real S3 server (skipped without Ceph: ceph-mon, ceph-osd, radosgw)", () => {
  let gateway: Awaited<ReturnType<typeof startRadosGateway>> | undefined;
  let access: BucketAccess;
  let stores = 0;

  beforeAll(async () => {
    gateway = await startRadosGateway("shop");
    ({ access } = gateway);
  });

  afterAll(async () => {
    await gateway?.close();
  });

  const freshName = () => `s3://shop/specs/${(stores += 1)}`;
  const storeAt = (name: string): SpecStore =>
    s3SpecStore({ name, bucket: () => openBucket({ name, access, sleep }), clock: systemClock });

  describeSpecStore("Ceph's gateway", async () => await Promise.resolve(storeAt(freshName())));

  test("R-SPEC-11: of 20 writers at a time exactly one gets the next version", async () => {
    const name = freshName();
    const first = await storeAt(name).write(owner, "one", null);
    if (first.kind === "conflict") throw new Error("conflict");
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => await storeAt(name).write(owner, `text ${n}`, first.ref)),
    );
    expect(results.filter(({ kind }) => kind === "written")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "conflict")).toHaveLength(19);
    const keys = await openBucket({ name, access, sleep }).list("issue_");
    expect(keys.map((key) => key.replace(/.*\//, ""))).toEqual(["spec.v1.md", "spec.v2.md"]);
  });

  test("a wrong key and a missing bucket are told with their remedies", async () => {
    const wrong = { ...access, secretAccessKey: "wrong" };
    const store = s3SpecStore({
      name: "s3://shop",
      bucket: () => openBucket({ name: "s3://shop", access: wrong, sleep }),
      clock: systemClock,
    });
    await expect(store.write(owner, "one", null)).rejects.toMatchObject({ code: "forbidden" });
    await expect(storeAt("s3://nowhere").write(owner, "one", null)).rejects.toMatchObject({ code: "config" });
  });

  /** A process that writes versions; killed a little after it told `killAfter` of them. */
  async function writer(to: string, name: string, count: number, killAfter = Infinity): Promise<SpecRef[]> {
    const env = {
      ...process.env,
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
      AWS_ENDPOINT_URL: access.endpoint ?? "",
    };
    const child = spawn(process.execPath, [CHILD, to, name, String(count)], {
      stdio: ["ignore", "pipe", "inherit"],
      env,
    });
    const told: SpecRef[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(specRefSchema.parse(JSON.parse(line)));
      if (told.length === killAfter) setTimeout(() => child.kill("SIGKILL"), 5 * killAfter);
    }
    return told;
  }

  /** The hash of each version by its number; throws for a torn one. */
  async function versions(name: string): Promise<Map<string, string>> {
    const bucket = openBucket({ name, access, sleep });
    const found = new Map<string, string>();
    for (const key of await bucket.list("issue_")) {
      const text = (await bucket.read(key, 200 * 1024))?.bytes.toString("utf8") ?? "";
      if (!/^# Spec: .*\nend\n$/s.test(text)) throw new Error(`torn: ${text.slice(0, 100)}`);
      found.set(/\.v(\d+)\.md$/.exec(key)?.[1] ?? "", createHash("sha256").update(text).digest("hex"));
    }
    return found;
  }

  test("two processes that write 20 versions each of one spec lose none, and tear none", async () => {
    const name = freshName();
    const told = (await Promise.all([writer(name, "ann", 20), writer(name, "ben", 20)])).flat();
    const kept = await versions(name);
    expect(told).toHaveLength(40);
    expect([...kept.keys()].map(Number).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
    for (const { revision = "", sha256 } of told) expect(kept.get(revision)).toBe(sha256);
  });

  test("a writer that is killed in the midst of writing leaves whole versions, and hinders nobody", async () => {
    const name = freshName();
    const told: SpecRef[] = [];
    for (const rounds of [1, 2, 3, 4, 5]) told.push(...(await writer(name, "ann", 50, rounds)));
    told.push(...(await writer(name, "ben", 1)));
    const kept = await versions(name);
    for (const { revision = "", sha256 } of told) expect(kept.get(revision)).toBe(sha256);
  });
});
