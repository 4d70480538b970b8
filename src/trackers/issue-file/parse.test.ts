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
  ])("takes its title from the text: %j", (text, title, body) => {
    expect(parse(text)).toMatchObject({ title, body, number: null, author: "reporter" });
  });

  test("does not see comments within code", () => {
    expect(parse("t\n\n```md\n## Comment by @bob at 2026-03-02\n```\nend").comments).toEqual([]);
  });

  test.each([
    ["", "is empty"],
    ["---\ntitle: x\nlables: [a]\n---\n", "the key “lables” is not known; did you mean “labels”?"],
    ["---\ntitle: [x\n---\n", "has a broken front matter"],
    ["---\ntitle: x\n", "never closed"],
    ["---\nnumber: many\n---\nx", "“number” is wrong"],
    ["t\n\n## Comment by @bob\nhi", "slow.md:3 opens a comment without a time"],
    ["a\0b", "binary"],
    ['{"title": }', "is not valid JSON"],
    ['{"comments": 3}', "“comments” is wrong"],
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
      comments: [{ author: { login: "carl" }, body: "hi", createdAt: "2026-03-02T00:00:00Z" }],
    }),
  );
  expect(issue).toMatchObject({ number: 3, author: "ann", labels: ["bug"], assignees: ["bob"] });
  expect(issue.comments).toMatchObject([{ author: "carl", body: "hi" }]);
});
