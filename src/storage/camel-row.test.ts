import { expect, test } from "vitest";
import { z } from "zod";
import { camelRow } from "./camel-row.ts";

const row = camelRow({ id: z.string(), basisSha256: z.string(), repliesToSeq: z.number().nullable() });

test("columns become keys, and columns that were not asked for are left out", () => {
  const columns = { id: "1", basis_sha256: "ab", replies_to_seq: null, created_at: new Date(0) };
  expect(row.parse(columns)).toEqual({ id: "1", basisSha256: "ab", repliesToSeq: null });
});

test("a column that is missing or of another type is refused by its key", () => {
  expect(row.safeParse({ id: "1", basis_sha256: 2, replies_to_seq: null }).error?.issues).toMatchObject([
    { path: ["basisSha256"] },
  ]);
  expect(row.safeParse(null).success).toBe(false);
});
