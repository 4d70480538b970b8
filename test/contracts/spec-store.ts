import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { SpecRef } from "../../src/domain/spec.ts";
import { silentLog } from "../../src/lib/log.ts";
import { keepSpec } from "../../src/specification/save.ts";
import type { SpecOwner, SpecStore } from "../../src/adapters/spec-stores/spec-store.ts";

const owner: SpecOwner = {
  issueId: "123",
  provider: "github",
  externalIssueId: "9",
  title: "Add dark mode: Übersicht",
};

/** What every spec store must do, wherever it keeps specs. */
export function describeSpecStore(name: string, setUp: () => Promise<SpecStore>): void {
  describe(`${name} as a spec store`, () => {
    let store: SpecStore;

    beforeEach(async () => {
      store = await setUp();
    });

    async function write(content: string, previous: Parameters<SpecStore["write"]>[2] = null, by: SpecOwner = owner) {
      const result = await store.write(by, content, previous);
      if (result.kind === "conflict") throw new Error("conflict");
      return result;
    }

    test("gives back what was written, with its sha256 and a path that tells the issue", async () => {
      const { kind, ref } = await write("# Spec: one\n");
      expect(kind).toBe("written");
      expect(ref).toMatchObject({
        version: 1,
        format: "markdown",
        sha256: createHash("sha256").update("# Spec: one\n").digest("hex"),
      });
      expect(ref.path).toMatch(/^issue_123_github_9_add-dark-mode-ubersicht\/spec\.md$/);
      expect(await store.read(ref)).toBe("# Spec: one\n");
      expect(await store.exists(ref)).toBe(true);
    });

    test("does not write the same content twice", async () => {
      const first = await write("same");
      expect(await write("same", first.ref)).toEqual({ kind: "unchanged", ref: first.ref });
    });

    test("keeps the path of an issue that was renamed", async () => {
      const first = await write("one");
      const second = await write("two", first.ref, { ...owner, title: "Something else" });
      expect(second.ref.path).toBe(first.ref.path);
      expect(await store.read(second.ref)).toBe("two");
    });

    test("refuses to overwrite what somebody else wrote meanwhile", async () => {
      const first = await write("one");
      const second = await write("two", first.ref);
      const late = await store.write(owner, "three", first.ref);
      expect(late).toMatchObject({ kind: "conflict", current: { sha256: second.ref.sha256 } });
      expect(await store.read(second.ref)).toBe("two");
    });

    test("lets one of many writers at a time through, and loses nothing", async () => {
      const { ref } = await write("start");
      const results = await Promise.all(
        Array.from({ length: 8 }, async (_, n) => await store.write(owner, `text ${n}`, ref)),
      );
      expect(results.filter((result) => result.kind === "written")).toHaveLength(1);
      expect(results.filter((result) => result.kind === "conflict")).toHaveLength(7);
    });

    test("has the later of several writers begin again on what the others wrote, so that each one's words stand (R-SPEC-11)", async () => {
      const { ref: first } = await write("0");
      const kept = await Promise.all(
        ["1", "2", "3"].map(async (word) => {
          const bases: string[] = [];
          const make = async (base: SpecRef | null) => {
            const text = base === null ? "" : await store.read(base);
            bases.push(text);
            return { markdown: `${text} ${word}` };
          };
          return { ...(await keepSpec(owner, first, make, { store, log: silentLog })), bases };
        }),
      );
      const texts = await Promise.all(kept.map(async ({ ref }) => await store.read(ref)));
      const [newest = ""] = texts.toSorted((a, b) => b.length - a.length);
      expect(newest.split(" ").toSorted()).toEqual(["0", "1", "2", "3"]);
      expect(kept.map(({ bases }) => bases[0])).toEqual(["0", "0", "0"]);
      expect(kept.filter(({ bases }) => bases.length === 1)).toHaveLength(1);
    });

    test.each(["", "x".repeat(200 * 1024 + 1)])("refuses content over its bounds (%#)", async (content) => {
      await expect(store.write(owner, content, null)).rejects.toMatchObject({ code: "too_large" });
    });

    test("takes a spec of exactly the largest size, and text in any script", async () => {
      const largest = `${"é".repeat(1_000)}${"x".repeat(200 * 1024 - 2_000)}`;
      const { ref } = await write(largest);
      expect(await store.read(ref)).toBe(largest);
      const second = await write("スペック 📄\r\n", ref);
      expect(await store.read(second.ref)).toBe("スペック 📄\r\n");
    });

    test("does not take a spec for the one that a reference means when the sha256 differs", async () => {
      const { ref } = await write("one");
      await expect(store.read({ ...ref, sha256: "0".repeat(64) })).rejects.toMatchObject({ code: "invalid" });
    });

    test("still has the version that a reference means after a crash that came right behind a later one", async () => {
      const first = await write("one");
      const second = await write("two", first.ref);
      expect(await store.exists(first.ref)).toBe(true);
      expect(await store.read(first.ref)).toBe("one");
      // Done again, it is the same step: somebody has yet to be told of it.
      expect(await write("two", first.ref)).toMatchObject({ kind: "written", ref: { sha256: second.ref.sha256 } });
      const third = await write("three", second.ref);
      expect(await store.read(second.ref)).toBe("two");
      expect(await store.read(third.ref)).toBe("three");
    });

    test("tells a first writer of the spec that is already there", async () => {
      const { ref } = await write("one");
      expect(await store.write(owner, "two", null)).toMatchObject({
        kind: "conflict",
        current: { path: ref.path, sha256: ref.sha256 },
      });
      expect(await write("one")).toMatchObject({ kind: "written", ref: { path: ref.path, sha256: ref.sha256 } });
    });

    test("goes back to an earlier version when that is what is written", async () => {
      const first = await write("one");
      const second = await write("two", first.ref);
      const third = await write("one", second.ref);
      expect(third.kind).toBe("written");
      expect(await store.read(third.ref)).toBe("one");
    });

    test("writes a spec anew whose text was lost", async () => {
      const { ref } = await write("one");
      await store.remove(ref);
      expect((await write("two", ref)).kind).toBe("written");
    });

    test.each([
      "../spec.md",
      "/etc/passwd",
      "relay_specs/../../spec.md",
      "relay_specs/a\0b/spec.md",
      "relay_specs/issue_1_local_7_broken/history/spec.md",
    ])("refuses %j as a path", async (path) => {
      const { ref } = await write("one");
      await expect(store.read({ ...ref, path })).rejects.toMatchObject({ code: "forbidden" });
      await expect(store.exists({ ...ref, path })).rejects.toMatchObject({ code: "forbidden" });
      await expect(store.remove({ ...ref, path })).rejects.toMatchObject({ code: "forbidden" });
      await expect(store.write(owner, "two", { ...ref, path })).rejects.toMatchObject({ code: "forbidden" });
    });

    test("refuses a reference of another backend", async () => {
      const { ref } = await write("one");
      await expect(store.read({ ...ref, backend: "elsewhere" })).rejects.toMatchObject({ code: "forbidden" });
    });

    test("says that a spec is not there", async () => {
      const { ref } = await write("one");
      await store.remove(ref);
      expect(await store.exists(ref)).toBe(false);
      await expect(store.read(ref)).rejects.toMatchObject({ code: "not_found" });
    });
  });
}
