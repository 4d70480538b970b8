import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { OutputMeter, metered } from "./output.ts";

test("what is said of a program behind its output is heard, also where that ended before the program did", async () => {
  const source = new PassThrough();
  const output = metered(source, new OutputMeter(1_000, () => {}));
  const heard = text(output.stream);
  source.end("its own words\n");
  await new Promise<void>((resolve) => source.once("close", resolve));
  output.add("it took too much\n");
  output.endWhenQuiet();
  expect(await heard).toBe("its own words\nit took too much\n");
});

test("an output that a process which escaped holds open ends all the same", async () => {
  const source = new PassThrough();
  const output = metered(source, new OutputMeter(1_000, () => {}));
  const heard = text(output.stream);
  source.write("half");
  output.endWhenQuiet();
  expect(await heard).toBe("half");
});
