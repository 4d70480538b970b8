import { expect, test } from "vitest";
import { mentionedSymbol } from "./definition.ts";

const text = [
  "// Buoy is a buoy at sea, with a light.",
  "import { light } from './light';",
  "",
  "export class Buoy {",
  "  // Its light is red.",
  "  glow() {",
  "    return light;",
  "  }",
  "}",
].join("\n");
const buoy = { name: "Buoy", kind: "class", start: 4, end: 9, container: null } as const;
const reason = { kind: "defines", symbol: "Buoy" } as const;

function cited(...lines: number[]) {
  const spots = lines.map((line) => ({ line, text: "", why: reason, symbol: null, part: null }));
  const found = mentionedSymbol({ reasons: [reason], symbols: [buoy] }, spots, { text, report: "`Buoy` is dark." });
  return found && { shows: found.shows, lines: found.spots.map(({ line }) => line) };
}

test("a definition is cited by the line that defines it, not by a comment or an import that speaks of it", () => {
  expect(cited(1, 7)).toEqual({ shows: "definition", lines: [4, 1, 7] });
  expect(cited(2)).toEqual({ shows: "definition", lines: [4, 2] });
  expect(cited(5)).toEqual({ shows: "definition", lines: [4, 5] });
  expect(cited()).toEqual({ shows: "definition", lines: [4] });
});

test("code within a symbol is part of it, and its own line defines it", () => {
  expect(cited(7)).toEqual({ shows: "part", lines: [7] });
  expect(cited(4, 7)).toEqual({ shows: "definition", lines: [4, 7] });
});
