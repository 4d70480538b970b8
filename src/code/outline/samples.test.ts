import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { classify } from "../classify.ts";
import { outlineOf } from "./outline.ts";

/** A sample, `shop.ts.txt`, and what is expected of it, `shop.ts.outline`: kind, name, lines and container. */
const folder = join(import.meta.dirname, "../../../test/fixtures/outline");
const samples = readdirSync(folder).filter((file) => file.endsWith(".txt"));

describe("the outline of a realistic file", () => {
  test.each(samples)("%s has each definition with its lines", async (sample) => {
    const path = sample.slice(0, -".txt".length);
    const text = readFileSync(join(folder, sample), "utf8");
    const expected = readFileSync(join(folder, `${path}.outline`), "utf8");
    const outline = await outlineOf(path, classify(path).language, text);
    expect(
      outline.map(({ kind, name, start, end, container }) => `${kind} ${name} ${start}-${end} ${container}\n`).join(""),
    ).toBe(expected);
  });

  test.each(samples)("%s is the same with the line ends of Windows", async (sample) => {
    const path = sample.slice(0, -".txt".length);
    const text = readFileSync(join(folder, sample), "utf8");
    const { language } = classify(path);
    expect(await outlineOf(path, language, text.replaceAll("\n", "\r\n"))).toEqual(
      await outlineOf(path, language, text),
    );
  });
});
