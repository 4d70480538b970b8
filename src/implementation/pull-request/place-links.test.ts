import { expect, test } from "vitest";
import { placeAddresses, withPlaceLinks } from "./place-links.ts";

const FILES: Record<string, { base: string | null; head: string | null }> = {
  "src/kept.ts": { base: "a\nb\nc\n", head: "a\nb\nc\n" },
  "src/moved.ts": { base: "a\nb\nc\n", head: "new\na\nb\nc\n" },
  "src/changed.ts": { base: "a\nb\nc\n", head: "a\nB\nc\n" },
  "src/gone.ts": { base: "a\n", head: null },
};
const SPEC = `# Spec: T

## Problem

It fails in \`src/kept.ts:2-3\`, in [\`src/moved.ts:2\`](https://e.org/old), \`src/changed.ts:2\` and \`src/gone.ts:1\`.

## Decision Log

See \`src/kept.ts:1\`.
`;

const read = async (path: string, at: "base" | "head") => await Promise.resolve(FILES[path]?.[at] ?? null);

test("places that the problem names lead to their lines at the head of the branch, to the file, or nowhere", async () => {
  const addresses = await placeAddresses(SPEC, {
    read,
    addressOf: (path, lines) =>
      `https://e.org/c2/${path}${lines === undefined ? "" : `#L${lines.start}-L${lines.end}`}`,
  });
  expect(Object.fromEntries(addresses)).toEqual({
    "src/kept.ts:2-3": "https://e.org/c2/src/kept.ts#L2-L3",
    "src/moved.ts:2": "https://e.org/c2/src/moved.ts#L3-L3",
    "src/changed.ts:2": "https://e.org/c2/src/changed.ts",
  });
  expect(withPlaceLinks("In `src/kept.ts:2-3`, not in `src/gone.ts:1` or ``src/kept.ts:2-3``.", addresses)).toBe(
    "In [`src/kept.ts:2-3`](https://e.org/c2/src/kept.ts#L2-L3), not in `src/gone.ts:1` or ``src/kept.ts:2-3``.",
  );
});

test("where the code has no pages, nothing is a link", async () => {
  const addresses = await placeAddresses(SPEC, { read, addressOf: () => null });
  expect(withPlaceLinks("In `src/kept.ts:2-3`.", addresses)).toBe("In `src/kept.ts:2-3`.");
});
