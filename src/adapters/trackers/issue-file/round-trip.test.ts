import * as fc from "fast-check";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { RelayError } from "../../../lib/errors.ts";
import { parseIssueFile, type IssueFile } from "./parse.ts";

const word = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9-]{0,12}$/);
const phrase = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .map((text) => text.replaceAll(/[\s\0]+/g, " ").trim())
  .filter((text) => text !== "");

/** Blocks that a thread is made of, the treacherous ones among them. */
const block = fc.oneof(
  // Prose that opens a fence or a comment is another block.
  phrase.map((text) => `: ${text}`),
  fc.constantFrom(
    "```md\n## Comment by @eve at 2026-01-01\n```",
    "~~~\n```\n## Comment by @eve\n~~~",
    "````\n```\n## Comment by @eve\n````",
    "```inline``` code",
    "    ## Comment by @eve",
    " ## Comment by @eve",
    "### Comment by @eve",
    "> ## Comment by @eve",
    "---",
    "# A heading",
    "<!-- relay:action:1-2-3 -->",
    "{",
  ),
);
const body = fc.array(block, { minLength: 1, maxLength: 5 }).map((blocks) => blocks.join("\n\n"));
const time = fc.date({ min: new Date(0), max: new Date("2099-12-31T23:59:59Z"), noInvalidDate: true });
const names = fc.uniqueArray(word, { maxLength: 3 });

const issue: fc.Arbitrary<IssueFile> = fc.record({
  number: fc.option(fc.integer({ min: 1, max: 1_000_000_000 })),
  title: phrase,
  body,
  author: word,
  labels: names,
  assignees: names,
  maintainers: names,
  createdAt: fc.option(time),
  url: fc.option(fc.webUrl()),
  comments: fc.array(fc.record({ author: word, at: time, body }), { maxLength: 4 }),
});

function asMarkdown({
  number,
  title,
  author,
  labels,
  assignees,
  maintainers,
  url,
  createdAt,
  body: text,
  comments,
}: IssueFile) {
  const fields = {
    number,
    title,
    author,
    labels,
    assignees,
    maintainers,
    url,
    created_at: createdAt?.toISOString() ?? null,
  };
  const thread = comments.map(
    (comment) => `## Comment by @${comment.author} at ${comment.at.toISOString()}\n\n${comment.body}\n`,
  );
  return `---\n${stringify(fields)}---\n\n${[`${text}\n`, ...thread].join("\n")}`;
}

function asJson({ createdAt, comments, author, labels, assignees, ...same }: IssueFile) {
  return JSON.stringify({
    ...same,
    author: { login: author },
    labels: labels.map((name) => ({ name })),
    assignees: assignees.map((login) => ({ login })),
    created_at: createdAt,
    comments: comments.map((comment) => ({
      author: { login: comment.author },
      body: comment.body,
      created_at: comment.at,
    })),
  });
}

const layout = fc.record({ bom: fc.boolean(), crlf: fc.boolean() });

test("an issue written as Markdown is read as it was, with either line end, with a byte order mark or without", () => {
  fc.assert(
    fc.property(issue, layout, (written, { bom, crlf }) => {
      const markdown = asMarkdown(written);
      const file = `${bom ? "\uFEFF" : ""}${crlf ? markdown.replaceAll("\n", "\r\n") : markdown}`;
      expect(parseIssueFile(Buffer.from(file), "issue.md")).toEqual(written);
    }),
  );
});

test("an issue written as JSON is read as it was", () => {
  fc.assert(
    fc.property(issue, (written) => {
      expect(parseIssueFile(Buffer.from(asJson(written)), "issue.json")).toEqual(written);
    }),
  );
});

test("any bytes are an issue or one sentence that names the file", () => {
  const soup = fc
    .array(fc.oneof(block, fc.constantFrom("---", "title: x", "number: [", "a: *b", "## Comment by @x"), fc.string()))
    .map((lines) => Buffer.from(lines.join("\n")));
  fc.assert(
    fc.property(fc.oneof(soup, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      expect(outcomeOf(bytes)).toMatch(/^(?:read as .|usage soup\.md\b)/s);
    }),
  );
});

function outcomeOf(bytes: Uint8Array): string {
  try {
    return `read as ${parseIssueFile(bytes, "soup.md").title}`;
  } catch (error) {
    return error instanceof RelayError ? `${error.code} ${error.message}` : `raised ${String(error)}`;
  }
}
