import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import type { SpecOwner, SpecStore } from "../../src/specstore/spec-store.ts";

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
      expect(ref.path).toMatch(/\/issue_123_github_9_add-dark-mode-ubersicht\/spec\.md$/);
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

    test.each(["", "x".repeat(200 * 1024 + 1)])("refuses content over its bounds", async (content) => {
      await expect(store.write(owner, content, null)).rejects.toMatchObject({ code: "too_large" });
    });

    test("says that a spec is not there", async () => {
      const { ref } = await write("one");
      await store.remove(ref);
      expect(await store.exists(ref)).toBe(false);
      await expect(store.read(ref)).rejects.toMatchObject({ code: "not_found" });
    });
  });
}
