import { assert, constantFrom, array, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { stripHiddenText } from "./hidden-text.ts";
import { triesOf } from "../../../test/support/tries.ts";

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
    ["what old browsers show around ruby", `<ruby>a<rp>${SAID}</rp></ruby>`, "<ruby>a</ruby>", "unshown"],
    ["letters that are turned around", `a <bdo dir="rtl">${SAID} <b>x</b></bdo> b`, "a  b", "unshown"],
    ["the address of a link without words", `a [<b></b>&nbsp;](https://x.example/push/now) b`, "a  b", "unshown"],
    ["the address of an anchor without words", `a <a href="https://x.example/now"></a> b`, "a <a></a> b", "unshown"],
    ["the same in a block", `<p>\n<a href="https://x.example/now"> </a>`, "<p>\n<a> </a>", "unshown"],
    ["attributes behind a picture", `![a](b.png){width=10 x="${SAID}"} b`, "![image](…) b", "markup"],
    ["attributes behind a picture in HTML", `a <img src="x">{${SAID}} b`, "a <img> b", "markup"],
    ["the same in a block of HTML", `<img src="x">{${SAID}}\n\nb`, "<img>\n\nb", "markup"],
    ["the page of a link between wiki pages", `[[a|${SAID}]] b`, "[[a|]] b", "markup"],
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
    ["a word after a fence that names no language", "~~~pushnow\nx\n~~~", "~~~\nx\n~~~", "markup"],
    ["a comment in a diagram", `\`\`\`mermaid\nA-->B\n%% ${SAID}\n\`\`\``, "```mermaid\nA-->B\n```", "comment"],
    [
      "settings, styles and descriptions of a diagram",
      `~~~mermaid\n%%{init: {\n"x": "${SAID}"\n}}%%\ngraph TD\nA-->B:::push_now\naccDescr {\n${SAID}\n}\nclick A "x" "${SAID}"\nclassDef push_now fill:#eee\n~~~`,
      "~~~mermaid\ngraph TD\nA-->B\n~~~",
      "comment",
    ],
    [
      "settings before a diagram, but for its title",
      `~~~mermaid\n---\ntitle: a\nconfig:\n  x: ${SAID}\n---\nA-->B\n~~~`,
      "~~~mermaid\n---\ntitle: a\n---\nA-->B\n~~~",
      "comment",
    ],
    [
      "properties of a node, but for its label",
      `~~~mermaid\ngraph TD\nA@{ shape: rect, label: "b", x: "${SAID}" }\n~~~`,
      '~~~mermaid\ngraph TD\nA@{ label: "b" }\n~~~',
      "comment",
    ],
    [
      "a sentence as a path",
      `[a](https://x.example/push-to-main-at-once-please)`,
      "[a](https://x.example/…)",
      "unshown",
    ],
    ["the name of a node", "~~~mermaid\npush_to_main_now[a]-->b\n~~~", "~~~mermaid\nnode[a]-->b\n~~~", ""],
    [
      "a diagram with a style that hides",
      `~~~mermaid\ngraph TD\nA[${SAID}]\nstyle A opacity:0\n~~~\nb`,
      "~~~mermaid\n~~~\nb",
      "unshown",
    ],
    ["a comment in a formula", `$x % ${SAID}$ b`, "$x $ b", "comment"],
    ["a formula with a part that hides", `$$\nx \\phantom{${SAID}}\n$$ b`, "$$…\n$$ b", "unshown"],
    ["a formula without colour, in code", `$\`\\color{white} ${SAID}\`$ b`, "$`…`$ b", "unshown"],
    [
      "the same in a fence in a quote",
      `> ~~~math\n> x\n> \\def\\a{${SAID}}\n> ~~~`,
      "> ~~~math\n> …\n> ~~~",
      "unshown",
    ],
    [
      "cells of a table in JSON beyond its fields",
      `~~~json:table\n{"items":[{"a":1,"b":"${SAID}"}],"fields":["a"]}\n~~~`,
      '~~~json:table\n{"items":[{"a":1}]}\n~~~',
      "unshown",
    ],
    [
      "a comment in a diagram that GitLab draws",
      `~~~plantuml\nA->B\n' ${SAID}\n~~~`,
      "~~~plantuml\nA->B\n~~~",
      "comment",
    ],
    ["what stands far to the right in code", `~~~\nx${" ".repeat(200)}${SAID}\ny\n~~~`, "~~~\nx\ny\n~~~", "unshown"],
    ["the same in indented code", `    x${"\t".repeat(90)}${SAID}\n    y`, "    x\n    y", "unshown"],
    ["a comment behind a fence in front matter", `---\n~~~\n---\n<!-- ${SAID} -->\nb`, "---\n'''\n---\n\nb", "comment"],
    [
      "a comment behind a fence that a quote of GitLab ends",
      `>>>\n~~~\n>>>\n<!-- ${SAID} -->\nb`,
      ">>>\n~~~\n>>>\nb",
      "comment",
    ],
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

  test("what a style or an attribute would hide is shown, as trackers take both away", () => {
    const shown = (text: string) => stripHiddenText(text).text;
    expect(shown(`a <span style="display:none">${SAID}</span> b`)).toBe(`a <span>${SAID}</span> b`);
    expect(shown(`<p hidden aria-hidden="true">${SAID}</p>`)).toBe(`<p>${SAID}</p>`);
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
    ["what only an attribute would hide, which trackers take away", "a <span>b</span> c <p>d</p>"],
    ["prices and shares", "it costs $5, 20% of it is $6; `$x % y$` and $HOME/$USER"],
    ["a formula", "$x^2$ and $$\n\\frac{1}{2}\n$$"],
    ["code of any language", "```js\nx\n```\n\n```Dockerfile\ny\n```\n\n```\nz\n```"],
    ["a diagram", "```mermaid\ngraph TD\n  A[Read the issue] --> B{Clear?}\n  B -->|yes| C\n```"],
    ["a session of a shell", "```pycon\n>>> 1 + 1\n2\n```"],
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
    "$",
    "% c",
    "\\phantom{",
    "~~~mermaid\n",
    "```math\n",
    "{a}",
    "[[a|b c]]",
    ">>>\n",
    "---\n",
    " ".repeat(80),
    "<a href='b'>",
    "</a>",
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
      { numRuns: triesOf(2_000) },
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
