import { describe, expect, test } from "vitest";
import { markdownParser } from "../../lib/markdown.ts";
import { safeComment } from "./comment-sanitizer.ts";
import { originsNamed, originsOf } from "./outgoing-links.ts";

const origins = new Set([
  ...originsOf(["https://git.example/o/r/issues/1", null, "no address"]),
  ...originsNamed("see https://docs.example/x. https://ann@tricks.example/"),
]);
const safe = (markdown: string) => safeComment(markdown, { participants: [], bot: "relay", origins }).text;
const EVIL = "evil.example/?q=data";

describe("links", () => {
  test("may lead to the tracker, and by https to what people named", () => {
    expect([...origins]).toEqual(["https://git.example", "https://docs.example"]);
  });

  test.each([
    "[a](https://git.example/o/r/issues/2)",
    "see https://docs.example/y, or docs/x.md",
    "[b](docs/x.md#y) and [c](#d)",
    "[a][1]\n\n[1]: https://git.example/x",
    `code \`https://${EVIL}\` stays`,
    "<https://docs.example/z>",
  ])("stay: %j", (text) => {
    expect(safe(text)).toBe(text);
  });

  test.each([
    [`[a](https://${EVIL})`, `a (\`https://${EVIL}\`)`],
    [`https://${EVIL}.`, `\`https://${EVIL}\`.`],
    [`www.${EVIL}`, `\`www.${EVIL}\``],
    [`<https://${EVIL}>`, `\`https://${EVIL}\``],
    [`[a][1]\n\n[1]: https://${EVIL}`, `a (\`https://${EVIL}\`)\n\n`],
    [`![a](https://${EVIL})`, `a (\`https://${EVIL}\`)`],
    [`[a](//${EVIL})`, `a (\`//${EVIL}\`)`],
    ["[a](javascript:alert(1))", "a (`javascript:alert(1)`)"],
    [`[a](https://git.example@${EVIL})`, `a (\`https://git.example@${EVIL}\`)`],
    ["[a](https://gіt.example/)", "a (`https://xn--gt-hoc.example/`)"],
    [`[a](https&#58;//${EVIL})`, `a (\`https://${EVIL}\`)`],
    ["[a](mailto:x@y.example?body=data)", "a (`mailto:x@y.example?body=data`)"],
    ["http://git.example/x", "`http://git.example/x`"],
    ["mail leak@evil.example.", "mail `leak@evil.example`."],
    ["[a](mailto:leak@evil.example)", "a (`mailto:leak@evil.example`)"],
    [`_https://${EVIL}_`, `_\`https://${EVIL}\`_`],
    [`1https://${EVIL}`, `1\`https://${EVIL}\``],
    [`//${EVIL}`, `\`//${EVIL}\``],
    [`\`\`\`mermaid\nA[https://${EVIL}]\n\`\`\``, `\`\`\`\nA[https://${EVIL}]\n\`\`\``],
    [
      `<details><summary>https://${EVIL}</summary></details>`,
      `<details><summary><code>https://${EVIL}</code></summary></details>`,
    ],
    ["[](https://git.example/data)", "`https://git.example/data`"],
    ["~~~ data\nx\n~~~", "~~~\nx\n~~~"],
    [`|a|\n|-|\n|[x](https://${EVIL})|`, `|a|\n|-|\n|x (\`https://${EVIL}\`)|`],
  ])("to anywhere else are text: %j", (text, shown) => {
    expect(safe(text)).toBe(shown);
    expect(safe(safe(text))).toBe(shown);
  });

  test.each([
    `<a href="https://${EVIL}">x</a>`,
    `https&#58;//${EVIL}`,
    `https:\\//${EVIL}`,
    `<div>\n[a](https://${EVIL})\n</div>`,
    `[![a](https://${EVIL})](https://${EVIL})`,
    `a \` b https://${EVIL} c`,
    `[a](\nhttps://${EVIL}\n)`,
    `[a](https<!-- -->://${EVIL})`,
  ])("cannot hide: %j", (text) => {
    const html = markdownParser.render(safe(text)).replaceAll(/<code>[^<]*<\/code>/g, "");
    expect(html).not.toMatch(/<[^>]*(?:href|src)=|https?:\/\/evil|www\.evil/);
  });
});

describe("nothing goes out that people do not see", () => {
  test.each([
    ['<div title="data">a</div>', '&lt;div title="data">a&lt;/div>'],
    ["a <b data-x='data'>b</b>", "a &lt;b data-x='data'>b&lt;/b>"],
    ["List<String>", "List&lt;String>"],
    ["[a](docs/x.md 'data')", "[a](docs/x.md)"],
    ["a\n\n[x]: # (data)\n\nb", "a\n\n\n\nb"],
    ["a <![CDATA[data]]> b", "a  b"],
    ["a\ue000b\u{f0041}c\u2028d", "abc\nd"],
    ["a\ufe01b\u00adc\u3164d\u115fe", "abcde"],
    ["```js data\nx\n```", "```js\nx\n```"],
    [
      "<details>\n<summary>s</summary>\n\nx<sub>y</sub>\n\n</details>",
      "<details>\n<summary>s</summary>\n\nx<sub>y</sub>\n\n</details>",
    ],
  ])("%j is posted as %j", (text, shown) => {
    expect(safe(text)).toBe(shown);
  });
});
