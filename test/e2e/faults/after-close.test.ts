import { expect, test } from "vitest";
import { listenAfter } from "./after-close.ts";
import { type SeenComment, BOT } from "./world.ts";

const MINUTE = 60_000;

/** An issue that was closed at the first minute, with Relay's comments, each by its minute. */
async function listen(stored: readonly number[], until: number, said: Record<number, string>) {
  const comments = Object.entries(said).map(([at, body]): SeenComment => ({
    id: at,
    author: BOT,
    body,
    at: Number(at) * MINUTE,
  }));
  const issue = { number: "7", open: false, labels: [], assignees: [], reactions: [], comments };
  const world = {
    provider: "github" as const,
    look: async () => await Promise.resolve([issue]),
  };
  return await listenAfter(
    world,
    [{ issue: 7, from: MINUTE, until: until * MINUTE }],
    stored.map((minute) => ({ issue: 7, at: minute * MINUTE })),
  );
}

test("words are heard from one request after a closing was stored until its end, but not a farewell", async () => {
  const said = { 1: "<!-- relay:action:1 -->", 3: "Which?\n<!-- relay:action:2 -->", 4: "<!-- relay:cancelled:1 -->" };
  expect(await listen([1], 6, { ...said, 6: "<!-- relay:action:3 -->" })).toEqual({
    listened: 1,
    heard: [expect.stringContaining("#7: the comment 3 came")],
  });
});

test("a closing that was not stored, or only just before its end, is not listened to", async () => {
  const said = { 3: "<!-- relay:action:1 -->" };
  expect(await listen([], 6, said)).toEqual({ listened: 0, heard: [] });
  expect(await listen([7], 6, said)).toEqual({ listened: 0, heard: [] });
  expect(await listen([1], 1.1, said)).toEqual({ listened: 0, heard: [] });
});
