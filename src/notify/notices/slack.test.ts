import { expect, test } from "vitest";
import type { Notice } from "../../domain/notice.ts";
import { slackMessage } from "./slack.ts";

const NOTICE: Notice = {
  type: "waiting",
  id: "msg_1",
  at: "2026-11-23T10:00:00.000Z",
  text: "I’m waiting for answers from ann.",
  waiting_for: { what: "answers", people: ["ann"], anyone_with: null, until: null },
  issue: {
    provider: "github",
    repository: "acme/shop",
    number: 12,
    title: "Wrong total in the cart",
    url: "https://github.com/acme/shop/issues/12",
    state: "clarifying",
    confidential: false,
  },
  request: null,
  budget: null,
  links: {
    thread: "https://github.com/acme/shop/issues/12#issuecomment-7",
    dashboard: "https://relay.example.org/issues/github/acme/shop/12",
    request: null,
  },
  cost_usd: 0.416,
};
const REQUEST = "https://github.com/acme/shop/pull/13";

const urlIn = (notice: Notice) => /"url":"([^"]+)"/.exec(JSON.stringify(slackMessage(notice).blocks))?.[1] ?? null;
const waitingFor = (what: string) => ({ what, people: [], anyone_with: "write" as const, until: null });

test("a message says what is awaited from whom, which issue, and has one button", () => {
  expect(slackMessage(NOTICE)).toMatchInlineSnapshot(`
    {
      "blocks": [
        {
          "text": {
            "emoji": false,
            "text": "I’m waiting for answers from ann.",
            "type": "plain_text",
          },
          "type": "header",
        },
        {
          "elements": [
            {
              "text": "<https://github.com/acme/shop/issues/12|acme/shop#12>",
              "type": "mrkdwn",
            },
            {
              "emoji": false,
              "text": "Wrong total in the cart",
              "type": "plain_text",
            },
            {
              "emoji": false,
              "text": "$0.42",
              "type": "plain_text",
            },
          ],
          "type": "context",
        },
        {
          "elements": [
            {
              "action_id": "open",
              "text": {
                "emoji": false,
                "text": "Answer",
                "type": "plain_text",
              },
              "type": "button",
              "url": "https://github.com/acme/shop/issues/12#issuecomment-7",
            },
          ],
          "type": "actions",
        },
      ],
      "text": "acme/shop#12: I’m waiting for answers from ann. (Wrong total in the cart)",
    }
  `);
});

test.each(["<!channel> & <@U123>", "<!here|look> @channel @HERE @everyone", "<https://evil.example|acme/shop#1>"])(
  "words of a title call nobody and link nowhere: %s",
  (title) => {
    const issue = NOTICE.issue && { ...NOTICE.issue, title };
    const message = slackMessage({ ...NOTICE, issue });
    expect(JSON.stringify(message)).not.toMatch(/<[!@]|<https:\/\/evil/);
    expect(message.text).not.toMatch(/@(?:channel|here|everyone)/i);
    const marked = message.blocks.flatMap((block) => (block.type === "context" ? block.elements : []));
    expect(marked.filter(({ type }) => type === "mrkdwn")).toHaveLength(1);
  },
);

test("the button leads to where the next step is done", () => {
  const links = { ...NOTICE.links, request: REQUEST };
  expect(urlIn({ ...NOTICE, type: "request_opened", waiting_for: waitingFor("review"), links })).toBe(REQUEST);
  expect(urlIn({ ...NOTICE, type: "stuck", waiting_for: waitingFor("hint"), links })).toBe(REQUEST);
  expect(urlIn({ ...NOTICE, type: "merged", waiting_for: null, links })).toBe(REQUEST);
  expect(urlIn({ ...NOTICE, waiting_for: waitingFor("approval"), links })).toBe(NOTICE.links.thread);
});

test("without a page there is no button, and without an issue only the line", () => {
  const links = { thread: null, dashboard: null, request: null };
  expect(urlIn({ ...NOTICE, links })).toBeNull();
  const { blocks, text } = slackMessage({ ...NOTICE, issue: null, waiting_for: null, links, text: "x ".repeat(200) });
  expect(blocks.map(({ type }) => type)).toEqual(["header"]);
  expect(text.length).toBeGreaterThan(300);
  expect(JSON.stringify(blocks)).toMatch(/x…"/);
});
