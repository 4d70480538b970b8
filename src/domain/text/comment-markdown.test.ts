import { expect, test } from "vitest";
import { prose } from "./comment-markdown.ts";

test("prose that is too long ends with a whole word and a mark", () => {
  const text = "Percentages are rounded half up, as the finance department agreed in March";
  const words = new Set(text.split(" "));
  for (let most = 25; most < text.length; most += 1) {
    const kept = prose(text, most);
    expect(kept.length).toBeLessThanOrEqual(most);
    expect(kept).toMatch(/…$/);
    const last = kept.slice(0, -1).split(" ").at(-1) ?? "";
    expect([...words].some((word) => word === last || word === `${last},`)).toBe(true);
  }
  expect(prose(text, text.length)).toBe(text);
});
