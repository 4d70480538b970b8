import { describe, expect, test } from "vitest";
import { describeSpecStore } from "../../../test/contracts/spec-store.ts";
import { type BucketServer, serveBucket } from "../../../test/support/bucket-server.ts";
import { systemClock } from "../../lib/clock.ts";
import { type BucketAccess, openBucket } from "./bucket.ts";
import { s3SpecStore } from "./s3.ts";
import type { SpecOwner, SpecStore } from "./spec-store.ts";

const NAME = "s3://shop/specs/of-relay";
const owner: SpecOwner = { issueId: "1", provider: "gitlab", externalIssueId: "7", title: "Broken" };
const FOLDER = "shop/specs/of-relay/issue_1_gitlab_7_broken";

const serve = async () => await serveBucket("shop");

function storeIn({ access }: Pick<BucketServer, "access">, { name = NAME, timeoutMs = 60_000 } = {}): SpecStore {
  const sleep = async () => await Promise.resolve();
  return s3SpecStore({ name, bucket: () => openBucket({ name, access, sleep, timeoutMs }), clock: systemClock });
}

async function written(store: SpecStore, content: string, previous: Parameters<SpecStore["write"]>[2] = null) {
  const result = await store.write(owner, content, previous);
  if (result.kind === "conflict") throw new Error("conflict");
  return result.ref;
}

describeSpecStore("a bucket", async () => storeIn(await serve()));
describeSpecStore("a whole bucket", async () => storeIn(await serve(), { name: "s3://shop" }));

test("each version is an object of its own, and the reference names it", async () => {
  const server = await serve();
  const store = storeIn(server);
  const first = await written(store, "one");
  const second = await written(store, "two", first);
  expect(second).toMatchObject({ backend: NAME, path: "issue_1_gitlab_7_broken/spec.md", revision: "2" });
  expect(store.where(second)).toBe(`${NAME}/issue_1_gitlab_7_broken/spec.v2.md`);
  expect([...server.objects.keys()].filter((key) => key.startsWith(FOLDER))).toEqual([
    `${FOLDER}/spec.v1.md`,
    `${FOLDER}/spec.v2.md`,
  ]);
});

test("R-SPEC-11: of 20 writers at a time exactly one gets the next version", async () => {
  const server = await serve();
  const first = await written(storeIn(server), "one");
  const results = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => await storeIn(server).write(owner, `text ${n}`, first)),
  );
  expect(results.filter(({ kind }) => kind === "written")).toHaveLength(1);
  expect(results.filter(({ kind }) => kind === "conflict")).toHaveLength(19);
  expect(server.objects.has(`${FOLDER}/spec.v3.md`)).toBe(false);
});

test("the newest of many versions is found over the pages of the list", async () => {
  const server = await serve();
  const store = storeIn(server);
  let ref = await written(store, "0");
  for (let n = 1; n < 12; n += 1) ref = await written(store, String(n), ref);
  server.page = 5;
  expect(await store.read({ ...ref, revision: undefined })).toBe("11");
  expect(await written(store, "more", ref)).toMatchObject({ revision: "13" });
  await store.remove(ref);
  expect([...server.objects.keys()]).toEqual(["shop/specs/of-relay/relay.probe"]);
});

describe("a write whose answer is lost", () => {
  test.each(["cut", "503"])("was carried out: it is not done twice (%s)", async (how) => {
    const server = await serve();
    const first = await written(storeIn(server), "one");
    server.instead = (when, { method }, response) => {
      if (when === "in" || method !== "PUT") return false;
      if (how === "cut") response.destroy();
      else response.writeHead(503).end();
      return true;
    };
    expect(await storeIn(server).write(owner, "two", first)).toMatchObject({ kind: "written", ref: { revision: "2" } });
    expect(server.objects.has(`${FOLDER}/spec.v3.md`)).toBe(false);
  });

  test("was not carried out: it is tried again", async () => {
    const server = await serve();
    const first = await written(storeIn(server), "one");
    let cuts = 2;
    server.instead = (when, { method }, response) => {
      if (when === "out" || method !== "PUT" || cuts === 0) return false;
      cuts -= 1;
      response.destroy();
      return true;
    };
    expect(await written(storeIn(server), "two", first)).toMatchObject({ revision: "2" });
  });

  test("is somebody else's: it is a conflict", async () => {
    const server = await serve();
    const store = storeIn(server);
    const first = await written(store, "one");
    server.instead = (when, { method }, response) => {
      if (when === "out" || method !== "PUT") return false;
      server.objects.set(`${FOLDER}/spec.v2.md`, { bytes: Buffer.from("somebody else's, and longer"), at: new Date() });
      response.writeHead(500).end();
      return true;
    };
    expect(await store.write(owner, "two", first)).toMatchObject({ kind: "conflict", current: { revision: "2" } });
  });
});

test("R-SPEC-11: a server that ignores conditions is refused before anything is overwritten", async () => {
  const server = await serve();
  server.ignoresConditions = true;
  const refusal = { code: "config", message: expect.stringContaining("If-None-Match") };
  await expect(storeIn(server).write(owner, "one", null)).rejects.toMatchObject(refusal);
  expect([...server.objects.keys()].filter((key) => key.startsWith(FOLDER))).toEqual([]);
});

describe("errors", () => {
  const wrong: [string, Partial<BucketAccess>, string, string, RegExp][] = [
    ["a wrong secret", { secretAccessKey: "wrong" }, NAME, "forbidden", /SignatureDoesNotMatch/],
    ["a wrong region", { region: "us-west-2" }, NAME, "config", /set AWS_REGION/],
    ["a bucket that is not there", {}, "s3://other", "config", /no bucket/],
    ["a server that is not there", { endpoint: "http://127.0.0.1:1" }, NAME, "unavailable", /AWS_ENDPOINT_URL/],
  ];
  test.each(wrong)("%s is told with its remedy, and no secret", async (_, change, name, code, message) => {
    const server = await serve();
    const store = storeIn({ access: { ...server.access, ...change } }, { name });
    const error: unknown = await store.write(owner, "one", null).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(String(error)).not.toMatch(/secret\+of|a session/);
  });

  test("a server that never answers is given up", async () => {
    const server = await serve();
    server.instead = () => true;
    const store = storeIn(server, { timeoutMs: 50 });
    await expect(store.write(owner, "one", null)).rejects.toMatchObject({ code: "timeout", retryable: true });
  });

  test("an object over 200 KiB is not read, and a changed one is not taken for the version", async () => {
    const server = await serve();
    const store = storeIn(server);
    const ref = await written(store, "one");
    const put = (text: string) =>
      server.objects.set(`${FOLDER}/spec.v1.md`, { bytes: Buffer.from(text), at: new Date() });
    put("x".repeat(200 * 1024 + 1));
    await expect(store.read(ref)).rejects.toMatchObject({ code: "too_large" });
    put("two");
    await expect(store.read(ref)).rejects.toMatchObject({ code: "invalid" });
  });

  test("a refusal for the moment is waited for", async () => {
    const server = await serve();
    const ref = await written(storeIn(server), "one");
    let refusals = 2;
    server.instead = (_, __, response) => {
      refusals -= 1;
      if (refusals < 0) return false;
      response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
      return true;
    };
    expect(await storeIn(server).read(ref)).toBe("one");
  });
});
