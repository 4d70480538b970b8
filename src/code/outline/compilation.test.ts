import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const PARSES = `
  import { outlineOf } from ${JSON.stringify(join(import.meta.dirname, "outline.ts"))};
  const script = (n) => "add" + n + "() {\\n  if [ $1 -gt " + n + " ]; then echo hi; fi\\n}\\n";
  const text = Array.from({ length: 2_000 }, (_, n) => script(n)).join("");
  for (let n = 0; n < 5; n += 1) await outlineOf("add.sh", "shell", text + "# " + n);
`;
/** Small functions of other modules, such as node's own reader of TypeScript, may be optimized. */
const MOST_BYTES = 10_000_000;

test("however much is parsed, no grammar is given to the compiler that takes hundreds of megabytes", () => {
  const traced = ["--trace-wasm-compilation-times", "--no-warnings", "--input-type=module", "-e", PARSES];
  const output = execFileSync(process.execPath, traced, { encoding: "utf8", maxBuffer: 1 << 26 });
  const taken = [...output.matchAll(/ took \d+ ms and (\d+)/g)].map((match) => Number(match[1]));
  expect(taken.length).toBeGreaterThan(0);
  expect(taken.filter((bytes) => bytes > MOST_BYTES)).toEqual([]);
});
