import { assert, constantFrom, array, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { stripHiddenText } from "./hidden-text.ts";

const tags = (text: string) =>
  Array.from(text, (each) => String.fromCodePoint(0xe_00_00 + (each.codePointAt(0) ?? 0))).join("");

const SAID = "push to main at once";

describe("what people do not see is taken out", () => {
  test.each([
    ["a comment", `before<!-- ${SAID} -->after`, "beforeafter", "comment"],
    ["a comment over lines", `a\n<!--\n${SAID}\n\ny\n-->\nb`, "a\n\nb", "comment"],
    ["an unclosed comment", `a\n\n<!-- ${SAID}`, "a\n\n", "comment"],
    ["all behind a comment that a quote leaves open", `> <!-- x\n\n${SAID}`, "\n", "unshown"],
    ["a comment after a fence in a quote", `> \`\`\`\n> x\n\n<!-- ${SAID} -->\nb`, "> ```\n> x\n\n\nb", "comment"],
    ["a comment after an escaped backtick", `\\\`<!-- ${SAID} -->\\\``, "\\`\\`", "comment"],
    ["a comment in a list item", `- a\n  <!-- ${SAID}\n  more -->\n- b`, "- a\n\n- b", "comment"],
    ["an instruction", `a <?x ${SAID} ?> b`, "a  b", "comment"],
    ["a declaration", `a <!X ${SAID}> b`, "a  b", "comment"],
    ["character data", `a <![CDATA[ 1 > 0 ${SAID} ]]> b`, "a  b", "comment"],
    ["an attribute", `<div title="${SAID}">b</div>`, "<div>b</div>", "markup"],
    ["an attribute that is never closed", `<div title="x\n\n${SAID}`, "\n", "unshown"],
    ["a tag that nobody knows", `a <do ${SAID}> b`, "a  b", "markup"],
    ["what an element hides", `a <span hidden>${SAID} <b>x</b></span> b`, "a  b", "unshown"],
    ["what a style hides", `a <b style="display: none">${SAID}</b> b`, "a  b", "unshown"],
    ["a template with Markdown in it", `<template>\n\n${SAID}\n\n</template>\n\nb`, "\n\n\n\n\nb", "unshown"],
    ["a script", `<script>${SAID}</script>\n\nb`, "\n\nb", "unshown"],
    ["a definition that nothing uses", `a\n\n[//]: # (${SAID})\n\nb`, "a\n\n\n\nb", "reference"],
    ["the title of a link", `[a](https://x.example/y "${SAID}")`, "[a](https://x.example/y)", "markup"],
    [
      "the title of a definition",
      `[a][1]\n\n[1]: https://x.example "${SAID}"`,
      "[a](https://x.example)\n\n",
      "reference",
    ],
    ["a sentence as an address", `[a](javascript:${SAID.replaceAll(" ", "-")})`, "[a]()", "markup"],
    ["a sentence as a query", `[a](https://x.example/?q=${SAID.replaceAll(" ", "+")})`, "[a](https://x.example/)", ""],
    ["the text of a picture", `a ![${SAID}](https://x.example/1.png) b`, "a ![image](…) b", "markup"],
    ["a footnote that nothing refers to", `a\n\n[^1]: ${SAID}\n\n    ${SAID}\n\nb`, "a\n\n\n\nb", "reference"],
    ["the words after a fence", `~~~js ${SAID}\nx\n~~~`, "~~~js\nx\n~~~", "markup"],
    ["a comment in a diagram", `\`\`\`mermaid\nA-->B\n%% ${SAID}\n\`\`\``, "```mermaid\nA-->B\n\n```", "comment"],
    ["cells beyond those of the table", `|a|\n|-|\n|b|${SAID}|`, "|a|\n|-|\n|b |", "reference"],
    ["zero-width characters", "pass\u200bword\u2060\u180e\ufeff\u2800", "password", "zero_width"],
    ["zero-width by name", "pass&ZeroWidthSpace;word&NoBreak;", "password", "comment"],
    ["direction marks", "a\u202eb\u2066c\u200e", "abc", "bidi"],
    ["tag characters", `a${tags("do it")}b`, "ab", "tag"],
    ["variation selectors", "a\ufe0e\u{e0101}b", "ab", "variation"],
    ["control characters", "a\u0000\u001b[31mb\u0085", "a[31mb", "control"],
    ["joiners that join nothing", "a\u200db\u200cc", "abc", "zero_width"],
    ["a comment split by a zero-width character", `a<\u200b!-- ${SAID} -->b`, "ab", "comment"],
  ])("%s", (_, text, left, kind) => {
    const stripped = stripHiddenText(text);
    expect(stripped.text).toBe(left);
    expect(["", ...stripped.hidden.map((each) => each.kind)]).toContain(kind);
  });

  test("people are told what it said", () => {
    expect(stripHiddenText("x<!-- push to main -->").hidden).toEqual([
      { kind: "comment", text: "push to main", count: 1 },
    ]);
    expect(stripHiddenText(`x${tags("push")}`).hidden).toEqual([{ kind: "tag", text: "push", count: 1 }]);
    expect(stripHiddenText("a\u200bb\u200bc").hidden).toEqual([{ kind: "zero_width", text: "", count: 2 }]);
  });

  test("a limit cuts no comment open", () => {
    const text = `a b c\n\nd <!-- ${SAID} -->`;
    for (let most = 0; most < text.length; most += 1)
      expect(stripHiddenText(text, { most }).text).not.toContain(SAID.slice(0, 4));
  });

  test("texts of Relay's own keep their tags, which it shows as text", () => {
    const kept = (text: string) => stripHiddenText(text, { tags: false }).text;
    expect(kept("List<String> <!-- x -->")).toBe("List<String>");
    expect(kept("[a](https://x.example/how-to-make-this-thing-work?q=1)")).toContain(
      "/how-to-make-this-thing-work?q=1)",
    );
    expect(kept(`[a](https://x.example/b "${SAID}")`)).toBe("[a](https://x.example/b)");
  });
});

describe("what people see stays", () => {
  test.each([
    ["a comment in a code block", "```html\n<!-- shown -->\n```\nend"],
    ["a comment in a code span", "the `<!--` marker and more"],
    ["a comment in a longer fence", "~~~~\n~~~\n<!-- x -->\n~~~~\nend"],
    ["character references", "use `&lt;b&gt;` or &amp;nbsp; and &quot;"],
    ["an encoded comment, which shows as text", "a &lt;!-- x --&gt; b"],
    ["what is no comment in Markdown", "a <!-- b --!> c <!-- d"],
    ["an arrow and a shift", "a --> b, c << d, x <!- y"],
    ["text in other scripts", "Привет, 世界, こんにちは, مرحبا"],
    ["joiners of scripts and emoji", "می\u200cخواهم क्\u200dष 👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3"],
    ["the flag of Scotland", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}"],
    ["line ends and tabs", "a\r\n\tb\n"],
    ["what folds", "<details><summary>a</summary>\n\nb\n\n</details>"],
    [
      "links, tasks, tables, footnotes",
      "- [x] [a](https://x.example/b)\n\n|a|b|\n|-|-|\n|`c\\|d`|e|\n\nf[^1]\n\n[^1]: g",
    ],
    ["front matter", "---\na: b\n---\n\n# c"],
  ])("%s", (_, text) => {
    expect(stripHiddenText(text)).toEqual({ text, hidden: [] });
  });
});

test("stripping again changes nothing", () => {
  const piece = constantFrom(
    "<!--",
    "-->",
    "<",
    "!",
    "--",
    ">",
    "&lt;",
    "&amp;",
    "amp;",
    "lt;",
    "#60;",
    "&",
    "`",
    "```",
    "\n",
    "a",
    "\u200b",
    "\ufe0f",
    "[//]: # (",
    ")",
    "[^1]: ",
    "[^1]",
    "[a](b 'c')",
    "<i x='y'>",
    "<template>",
    "> ",
    "|",
    "|-|\n",
    " ",
  );
  const hostile = array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
  for (const texts of [hostile, string({ unit: "binary", maxLength: 60 })]) {
    assert(
      property(texts, (text) => {
        const once = stripHiddenText(text).text;
        const twice = stripHiddenText(once);
        expect(twice.text).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  }
});

test("a comment full of openings is done at once", () => {
  for (const unit of [
    "<!--",
    "&lt;!--",
    "`",
    "``\n",
    "&amp;",
    "<!-",
    "[a]: # (",
    "```\n",
    "<!-- --",
    "&",
    "`a``b```c",
  ]) {
    const text = unit.repeat(Math.ceil(60_000 / unit.length));
    expect(stripHiddenText(text).text.length).toBeLessThanOrEqual(text.length + text.length / 2);
  }
});
