import { describe, expect, test } from "vitest";
import { parseIssueFile } from "./parse.ts";

const parse = (text: string) => parseIssueFile(Buffer.from(text), "issues/slow.md");

describe("an issue file in Markdown", () => {
  test("holds front matter, body and comments", () => {
    const issue = parse(
      "---\r\ntitle: It is slow\nnumber: 7\nauthor: '@ann'\nlabels: [bug, perf]\nassignees: [bob]\nurl: https://x.example/7\ncreated_at: 2026-03-01\n---\nSlow.\n\n## Comment by @bob at 2026-03-02T10:00:00Z\nYes.\n\n## Comment by carl at 2026-03-02 11:00\nNo.\n",
    );
    expect(issue).toMatchObject({
      number: 7,
      title: "It is slow",
      author: "ann",
      labels: ["bug", "perf"],
      assignees: ["bob"],
      body: "Slow.",
    });
    expect(issue.createdAt?.toISOString()).toBe("2026-03-01T00:00:00.000Z");
    expect(issue.comments.map(({ author, at, body }) => [author, at.toISOString(), body])).toEqual([
      ["bob", "2026-03-02T10:00:00.000Z", "Yes."],
      ["carl", "2026-03-02T11:00:00.000Z", "No."],
    ]);
  });

  test.each([
    ["# It is slow\n\nvery", "It is slow", "very"],
    ["It is slow\nvery", "It is slow", "very"],
    [`\uFEFF# It is slow`, "It is slow", ""],
    ["It is slow\n=====\nvery", "It is slow", "very"],
    ["### Steps\n\n1. go", "slow", "### Steps\n\n1. go"],
    ["```\ncode\n```", "slow", "```\ncode\n```"],
    ["{{name}} is shown raw\nhere", "{{name}} is shown raw", "here"],
  ])("takes its title from the text: %j", (text, title, body) => {
    expect(parse(text)).toMatchObject({ title, body, number: null, author: "reporter" });
  });

  test("does not see comments within code", () => {
    expect(parse("t\n\n```md\n## Comment by @bob at 2026-03-02\n```\nend").comments).toEqual([]);
  });

  test.each([
    "<details><summary>the old thread</summary>\n\n## Comment by @bob at 2026-03-02\n\nyes\n\n</details>",
    "<details>\n<details>\n</details>\n## Comment by @bob at 2026-03-02\n</details>",
    "<!--\n## Comment by @bob at 2026-03-02\n-->",
    "<blockquote>\n\n## Comment by @bob at 2026-03-02\n</blockquote>",
    "> quoted\n> ## Comment by @bob at 2026-03-02",
    "- a list\n  ## Comment by @bob at 2026-03-02",
    "~~~\n<details>\n## Comment by @bob at 2026-03-02\n~~~",
  ])("takes nobody at their word for what was pasted: %j", (pasted) => {
    const { body, comments } = parse(`t\n\n${pasted}\n\n## Comment by @carl at 2026-03-03\nno`);
    expect(comments.map(({ author, body: said }) => [author, said])).toEqual([["carl", "no"]]);
    expect(body).toBe(pasted);
  });

  test.each(["<details> that is never closed", "<pre>", "<!-- open"])(
    "is not swallowed by an element without an end: %s",
    (open) => {
      expect(parse(`t\n\n${open}\n\n## Comment by @carl at 2026-03-03\nno`).comments).toHaveLength(1);
    },
  );

  test("names people with write access", () => {
    const { maintainers } = parse("---\ntitle: x\nmaintainers: ['@bob', carl]\n---\ny");
    expect(maintainers).toEqual(["bob", "carl"]);
  });

  test("keeps values as they were written", () => {
    const issue = parse("---\ntitle: 1.10\nlabels: [2.0, yes, yes]\nnumber:\nauthor:\n---\n    code\n");
    expect(issue).toMatchObject({ title: "1.10", labels: ["2.0", "yes"], number: null, author: "reporter" });
    expect(issue.body).toBe("    code");
  });

  test.each([
    ["2026-03-01", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01 10:00", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01T10:00Z", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01T10:00:00.250", "2026-03-01T10:00:00.250Z"],
    ["2026-03-01T10:00:00+0200", "2026-03-01T08:00:00.000Z"],
    ["2026-03-01T10:00-05:30", "2026-03-01T15:30:00.000Z"],
  ])("reads the time of a comment: %s", (time, at) => {
    expect(parse(`t\n\n## Comment by @bob at ${time}\nhi`).comments[0]?.at.toISOString()).toBe(at);
  });

  test.each(["yesterday", "2026-02-30", "2026-03-01T25:00Z", "10:00", "2026-03-01 noon"])(
    "refuses a comment at no valid time: %s",
    (time) => {
      expect(() => parse(`t\n\n## Comment by @bob at ${time}\nhi`)).toThrow("slow.md:3 opens a comment at no valid");
    },
  );

  test.each([
    ["", "is empty"],
    ["---\ntitle:\n---\n", "has neither a title nor a text"],
    [`---\ntitle: ${"x".repeat(256)}\n---\n`, "title of more than 255 characters"],
    ["---\ntitle: *x\n---\ny", "slow.md:1 has a broken front matter: Unresolved alias"],
    ["---\ntitle: x\nauthor: @ann\n---\ny", "slow.md:3 has a broken front matter"],
    ["---\njust text\n---\ny", "not made of `key: value` lines"],
    ["---\ntitle: x\nmood: bad\n---\ny", "known are title, number"],
    [
      "---\ntitle: x\nlables: [a]\n---\n",
      "slow.md:3 has a front matter in which the key “lables” is not known; did you mean “labels”?",
    ],
    ["---\ntitle: [x\n---\n", "has a broken front matter"],
    ["---\ntitle: x\n", "never closed"],
    ["---\ntitle: x\nnumber: many\n---\nx", "slow.md:3 has a front matter in which “number” is wrong"],
    ["t\n\n## Comment by @bob\nhi", "slow.md:3 opens a comment without a time"],
    ["a\0b", "binary"],
    ['{"title": }', "is not valid JSON"],
    ['{"comments": 3}', "“comments” is wrong"],
    ['{"title": "a\\u0000b"}', "“title” is wrong: it holds a NUL"],
    ['{"title": "x", "number": 99999999999}', "“number” is wrong"],
    ['{"title": "x", "comments": [{"body": "hi"}]}', "“comments.0” is wrong: it needs a created_at"],
  ])("that is broken is refused with what and where: %j", (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

test("an issue file that is not UTF-8, or too large, is refused", () => {
  expect(() => parseIssueFile(Buffer.from([0xff, 0xfe, 0x41]), "a.md")).toThrow("a.md is not UTF-8");
  expect(() => parseIssueFile(Buffer.alloc(1024 * 1024 + 1, "a"), "a.md")).toThrow("larger than 1 MiB");
});

test("an issue file in JSON is read as trackers print it", () => {
  const issue = parse(
    JSON.stringify({
      number: 3,
      title: "T",
      body: "B",
      author: { login: "ann" },
      labels: [{ name: "bug" }],
      assignees: [{ login: "bob" }],
      createdAt: "2026-03-01T00:00:00Z",
      extra: true,
      authorAssociation: "NONE",
      comments: [
        {
          author: { login: "carl" },
          authorAssociation: "MEMBER",
          body: "hi\r\nyou",
          createdAt: "2026-03-02T00:00:00Z",
        },
        { author: null, body: "gone", createdAt: "2026-03-03T00:00:00Z" },
      ],
    }),
  );
  expect(issue).toMatchObject({ number: 3, author: "ann", labels: ["bug"], assignees: ["bob"] });
  expect(issue.maintainers).toEqual(["carl"]);
  expect(issue.comments).toMatchObject([
    { author: "carl", body: "hi\nyou" },
    { author: "ghost", body: "gone" },
  ]);
});

test("an issue file in JSON may name people and labels plainly", () => {
  const bytes = Buffer.from('{"title":"T","author":"@ann","labels":["bug"],"assignees":["bob"]}');
  expect(parseIssueFile(bytes, "a.json")).toMatchObject({
    author: "ann",
    labels: ["bug"],
    assignees: ["bob"],
    body: "",
  });
  expect(() => parseIssueFile(Buffer.from("[1]"), "a.json")).toThrow("must be one JSON object");
});
