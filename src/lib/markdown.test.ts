import { describe, expect, test } from "vitest";
import { blockTokens, markdownTokens, piecesOf, textOf } from "./markdown.ts";

const said = (markdown: string) => textOf(markdown, ["text"]).replaceAll(/\s+/g, " ").trim();

describe("the pieces of a Markdown text", () => {
  test("tell what the text says from what it sets apart", () => {
    const markdown =
      '# Title\n\nSome *words* ~~struck~~ `code` [link](https://example.com "title") ![picture](a.png)\n\n> quote\n\n```\nfence\n```';
    expect(said(markdown)).toBe("Title Some words");
    const kinds = new Map(piecesOf(markdown).map(({ kind, text }) => [text, kind]));
    expect(["struck", "code", "link", "a.png", "quote", "fence\n"].map((text) => kinds.get(text))).toEqual([
      ...["struck", "code", "link", "image", "quote", "code"],
    ]);
  });

  test.each([
    ["1. one\n2. two\n\n- three", "1. one 2. two - three"],
    ["- > quote", ""],
    ["a<br>b", "a b"],
    ["| a | b |\n|---|---|\n| c | d |", "| a| b | c| d"],
    ["\\*plain\\* &lt;b&gt;", "*plain* <b>"],
    ["<div>shown</div>", "shown"],
    ["before <!-- hidden --> after", "before after"],
    ["before <!-- shown", "before <!-- shown"],
    ["<div><!--> shown</div>", "shown"],
    ["<details>\n\nfolded\n\n</details>\n\nshown", "shown"],
    ["> <details>\n\nshown", "shown"],
    ["<del>a\n\nb", ""],
    ['<p title="a > b">shown', "shown"],
    ['<p title="open', ""],
    ["a < b", "a < b"],
  ])("follow the rules of GitHub: %j", (markdown, text) => {
    expect(said(markdown)).toBe(text);
  });

  // A time that grows with the square would be sixteen times as long for four times the text.
  test.each([
    ...["[", "![", "[a](", "[a][", "> ", ">", "- ", "1. ", "*a ", "_a", "**", "~~a", "~", "`a``", "```\n", "~~~\n"],
    ...[
      "<",
      "<!--",
      "<!-- -->",
      '<a "',
      "<details>",
      "<div>\n\n",
      "<p><!--\n\n",
      "[a]: x\n",
      "|a",
      "a|b\n-|-\n",
      "&#1;",
    ],
  ])("are found in time that grows with the text: %j again and again", (piece) => {
    const timeOf = (length: number) => {
      const markdown = piece.repeat(length / piece.length);
      return Math.min(...[1, 2, 3].map(() => elapsed(() => piecesOf(markdown))));
    };
    expect(timeOf(64_000)).toBeLessThan(9 * timeOf(16_000) + 500);
  });
});

function elapsed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

test("links and pictures are read within ten others, blocks within many, whatever was read before", () => {
  const pictures = (depth: number) => `${"![".repeat(depth)}a${"](b)".repeat(depth)}`;
  const quotes = `${"> ".repeat(40)}a`;
  for (let again = 0; again < 2; again += 1) {
    expect(piecesOf(pictures(9)).map(({ kind }) => kind)).toEqual(["image", "text"]);
    expect(piecesOf(pictures(40)).filter(({ kind }) => kind === "image")).toHaveLength(1);
    expect(blockTokens(quotes).filter(({ type }) => type === "blockquote_open")).toHaveLength(40);
    expect(markdownTokens(quotes).filter(({ type }) => type === "blockquote_open")).toHaveLength(40);
  }
});
