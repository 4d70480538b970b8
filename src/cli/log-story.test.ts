import { expect, test } from "vitest";
import { message, specInput } from "../../test/support/spec-input.ts";
import { type LogEntry, logOf, storyOf } from "./log-story.ts";

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 20, 10, minutes));
let next = 0;
const entry = (given: Partial<LogEntry> & Pick<LogEntry, "what">): LogEntry => ({
  id: String((next += 1)),
  at: at(next),
  actor: "relay",
  why: null,
  before: null,
  after: null,
  ...given,
});
const lines = (...entries: LogEntry[]) =>
  storyOf(entries)
    .replaceAll(/^\d{4}-\S+ {2}/gm, "")
    .trimEnd()
    .split("\n");

test("words and what was made of them are told with their reason; the same reason is not told again", () => {
  expect(
    lines(
      entry({ what: "message.posted", actor: "ann", after: { text: "go\n ahead", url: "https://e.org/7#m1" } }),
      entry({ what: "words.taken_up", actor: "ann", why: "asks Relay directly", after: { did: "commented" } }),
      entry({ what: "words.left_aside", actor: "bob", why: "mention without permission", after: { did: "commented" } }),
      entry({ what: "cycle.planned", why: "it is settled", after: { cycle: 2, read: [1], actions: ["post_comment"] } }),
      entry({
        what: "gap.closed",
        why: "it is settled",
        after: { number: 1, question: "Where?", note: "x".repeat(400) },
      }),
      entry({ what: "batch.refused", after: [{ action: 0, rule: "no_open_gaps", detail: "gap 2 is open" }] }),
      entry({ what: "labels.changed", before: [], after: ["relay:done"] }),
    ),
  ).toEqual([
    "@ann  message.posted  “go ahead”  https://e.org/7#m1",
    "@ann  words.taken_up  commented",
    "    asks Relay directly",
    "@bob  words.left_aside  commented",
    "    mention without permission",
    "relay  cycle.planned  cycle 2 (messages read: 1): post_comment",
    "    it is settled",
    `relay  gap.closed  gap 1: Where? (note: ${"x".repeat(400)})`,
    "relay  batch.refused  action: 0, rule: no_open_gaps, detail: gap 2 is open",
    "relay  labels.changed  none → relay:done",
  ]);
});

test("a spec is told with its size, its hash and the time that it took", () => {
  const sizes = { characters: 4_532, bytes: 4_570 };
  const ref = { path: "issue_7/spec.md", sha256: "b5e7063f04357a40" };
  expect(
    lines(
      entry({ what: "spec.started", before: { ...ref, ...sizes } }),
      entry({ what: "spec.written", after: { ref, complexity: "L1", ms: 2_617, ...sizes } }),
    ),
  ).toEqual([
    "relay  spec.started  read the version before: 4532 characters, 4570 bytes, sha256 b5e7063f0435",
    "relay  spec.written  issue_7/spec.md (L1, 4532 characters, 4570 bytes, sha256 b5e7063f0435, in 2.6 s)",
  ]);
});

test("an edit of the status comment is one short line: where the issue stands", () => {
  const body =
    "**Done: [#4](https://e.org/4) is merged.**  \nSince 10:00 UTC\n\n- Spec: version 2\n\n<!-- relay:status -->";
  const why = "where it stands";
  expect(lines(entry({ what: "comment.edited", why, after: { comment_id: "m1", body } }))).toEqual([
    "relay  comment.edited  “Done: [#4](https://e.org/4) is merged.”",
  ]);
});

test("no words steer the terminal, nor hide", () => {
  const said = entry({ what: "message.posted", actor: "eve", after: { text: "\u001b[2Jhi\u202e <!-- relay:x -->" } });
  const planned = entry({ what: "cycle.planned", why: "because \u001b]8;;x\u0007", after: { cycle: 1 } });
  const story = storyOf([said, planned]);
  expect(story.replaceAll("\n", "")).not.toMatch(/[\p{Cf}\p{Cc}]/u);
  expect(story).toContain("hi");
  expect(story).not.toContain("relay:x");
});

test("what Relay said stands once, people's words at their time", () => {
  const { issue } = specInput({ title: "T", body: "", number: "7" });
  const posted = entry({ what: "comment.posted", at: at(50), after: { comment_id: "m2", body: "Which one?" } });
  const messages = [
    message({ seq: 1, content: "first", timestamp: at(0) }),
    message({ seq: 2, author: "relay", content: "Which one?", timestamp: at(50) }),
  ].map((one) => ({ ...one, externalReplyId: null }));
  const all = logOf(issue, { audit: [{ ...posted, issueId: "1" }], messages, calls: [] });
  expect(all.map(({ what, actor }) => [what, actor])).toEqual([
    ["message.posted", "ann"],
    ["comment.posted", "relay"],
  ]);
});
