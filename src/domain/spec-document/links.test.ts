import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openFence } from "../../lib/markdown-offsets.ts";
import { piecesOf } from "../../lib/markdown.ts";
import { type AddressOf, linked, linkedInline, linksIn, unlinked } from "./links.ts";
import { parseSpec } from "./parse.ts";
import { triesOf } from "../../../test/support/tries.ts";

const address: AddressOf = (cited) =>
  cited.kind === "file" ? `https://e.org/${cited.path}#L${cited.start}` : `https://e.org/${cited.kind}/${cited.id}`;

function document(text: string): string {
  const { text: body, addresses } = linked(text, address);
  return addresses === "" ? body : `${body}\n\n${addresses}\n`;
}

/** How many links a browser would show. */
function linksShown(markdown: string): number {
  return piecesOf(markdown).filter(({ kind, text }) => kind === "link" && text === "").length;
}

describe("links at citations (R-SPEC-17)", () => {
  test("are brackets in the text, with the addresses at its end", () => {
    expect(document("See `src/a.ts:3-9` and Gap #1; also `src/a.ts:3-9`.")).toBe(
      "See [`src/a.ts:3-9`] and [Gap #1]; also [`src/a.ts:3-9`].\n\n[`src/a.ts:3-9`]: https://e.org/src/a.ts#L3\n[Gap #1]: https://e.org/gap/1\n",
    );
  });

  test("lead each number of a list to its own", () => {
    expect(document("messages 3, 5 and #6")).toBe(
      "[messages 3][message 3], [5][message 5] and #6\n\n[message 3]: https://e.org/message/3\n[message 5]: https://e.org/message/5\n",
    );
  });

  test.each([
    ["a heading", "## About message 3"],
    ["code", "`message 3`"],
    ["a fence", "```\nmessage 3 `src/a.ts:3`\n```"],
    ["indented code", "x\n\n    message 3"],
    ["a link", "[see message 3](https://e.org)"],
    ["an address and a time", "`localhost:80` `10:30`"],
    ["HTML", "<b>message 3</b>"],
    ["what has no number", "the messages"],
  ])("are not set in %s", (_, text) => {
    expect(document(text)).toBe(text);
  });

  test.each([
    ["- Finding #1: yes", "a word that looks like a definition's address"],
    ["Gap #1(see below)", "brackets right behind it"],
    ["`app/[id]/page.tsx:3`", "brackets in the path"],
    ["`src/A.ts:3` and `src/a.ts:3`", "names that differ in case only"],
    ["| a | b |\n|---|---|\n| `src/a.ts:3` | message 3 |", "a table"],
  ])("of %j open in spite of %s", (text) => {
    const made = document(text);
    const { citations } = parseSpec(text);
    expect(linksShown(made)).toBe(citations.length);
    expect(parseSpec(made).citations).toEqual(citations);
    expect(unlinked(made).trimEnd()).toBe(text);
  });

  test("may also stand in the text, as in a thread", () => {
    expect(linkedInline("Start at `src/a.ts:3` (message 3)?", address)).toBe(
      "Start at [`src/a.ts:3`](https://e.org/src/a.ts#L3) ([message 3](https://e.org/message/3))?",
    );
  });

  test("are found again with their addresses", () => {
    expect(linksIn(document("Gap 1, `src/a.ts:3`"))).toEqual(
      new Map([
        ["`src/a.ts:3`", "https://e.org/src/a.ts#L3"],
        ["Gap 1", "https://e.org/gap/1"],
      ]),
    );
  });

  test("change nothing of what is read, whatever the text", () => {
    const piece = fc.constantFrom(
      ..."`src/a.ts:3`|`a.md:1-9`|Gap #1|message 2|Findings 3, 4|[|]|(|)|[]|`|``|\\|:|#|\n|\n\n| |x|- |> |    |```\n|## |<p>|!".split(
        "|",
      ),
      "|",
      "[message 2]",
      "[`src/a.ts:3`](u)",
      "[message 9]: u\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        let text = pieces.join("");
        while (unlinked(text) !== text) text = unlinked(text);
        fc.pre(openFence(text) === null);
        const made = document(text);
        expect(parseSpec(made).citations).toEqual(parseSpec(text).citations);
        expect(unlinked(made).trimEnd()).toBe(text.trimEnd());
      }),
      { numRuns: triesOf(2_000) },
    );
  });
});
