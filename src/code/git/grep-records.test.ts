import { array, assert, integer, property, record, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { LineRecords, type FoundLine } from "./grep-records.ts";

function read(output: Buffer, cuts: readonly number[]): FoundLine[] {
  const records = new LineRecords(2);
  const found: FoundLine[] = [];
  let from = 0;
  for (const to of [...cuts.map((cut) => cut % (output.length + 1)).toSorted((a, b) => a - b), output.length]) {
    found.push(...records.add(output.subarray(from, to)));
    from = to;
  }
  return found;
}

test("records are read the same wherever the chunks are cut", () => {
  const line = record({
    path: stringMatching(/^[a-zé:]{1,9}$/),
    line: integer({ min: 1, max: 1e6 }),
    text: stringMatching(/^[a-zé\0 ]{1,30}$/),
  });
  assert(
    property(array(line, { maxLength: 6 }), array(integer({ min: 0, max: 500 }), { maxLength: 20 }), (lines, cuts) => {
      const output = lines.map((each) => `c:${each.path}\0${each.line}\x001\0${each.text}\n`).join("");
      const expected = lines.map((each) => ({ ...each, at: 0, cutBefore: false, cutAfter: false }));
      expect(read(Buffer.from(output), cuts)).toEqual(expected);
    }),
  );
});

test("of a very long line only what is around the match is kept, whole characters only", () => {
  const before = "é".repeat(20_000);
  const column = Buffer.byteLength(before) + 1;
  const output = Buffer.from(`c:a.js\x001\0${column}\0${before}here${"é".repeat(20_000)}\n`);
  const [found] = read(output, [9, 5_001, 30_003, 44_444]);
  expect(found).toMatchObject({ cutBefore: true, cutAfter: true });
  expect(found?.text.slice(found.at, found.at + 4)).toBe("here");
  expect(found?.text).toMatch(/^é+hereé+$/);
  expect(found?.text.length).toBeLessThan(10_000);
});
