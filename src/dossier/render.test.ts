import { describe, expect, test } from "vitest";
import type { Exploration } from "../domain/exploration.ts";
import { exploredText, placesText } from "./render.ts";

const place = (path: string, lines: string[], note?: string) => ({
  location: `${path}:10-${9 + lines.length}`,
  snippet: lines.join("\n"),
  ...(note === undefined ? {} : { note }),
});

function exploration(n: number, places = [place(`src/${n}.ts`, ["a", "b"])]): Exploration {
  return {
    id: String(n),
    issueId: "1",
    askedBy: "planner",
    question: `What is ${n}?`,
    thoroughness: "quick",
    synthesis: `It is ${n}.`,
    places,
    commit: "c",
    createdAt: new Date(0),
  };
}

describe("explorations for a model", () => {
  test("have numbered lines, as they are cited", () => {
    expect(exploredText([exploration(1, [place("src/a.ts", ["if (x)", "…"], "the check")])], 1_000)).toBe(
      "Asked: What is 1?\nIt is 1.\n[src/a.ts:10-11] the check\n10| if (x)\n…",
    );
  });

  test("lose the text of places first, then the oldest, and say both", () => {
    const long = [place("src/a.ts", ["x".repeat(300)]), place("src/b.ts", ["y".repeat(300)])];
    expect(placesText(long, 400)).toBe(
      `[src/a.ts:10-10]\n10| ${"x".repeat(300)}\n\n[src/b.ts:10-10] (its text has no room here)`,
    );
    const text = exploredText([exploration(1), exploration(2), exploration(3)], 140);
    expect(text).toMatch(/^\[1 older explorations are left out\]/);
    expect(text.indexOf("What is 2?")).toBeLessThan(text.indexOf("What is 3?"));
  });
});
