import { expect, test } from "vitest";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";
import { type Received, SIGNING_SECRET, isSigned, receiveNotices } from "../support/notice-receiver.ts";
import { type Notice, noticeSchema } from "../../src/domain/notice.ts";
import { listeningLog } from "../support/web-server.ts";

/** Longer than jobs and their polls take. */
const PATIENT = { timeout: 60_000 };

const noticeIn = ({ body }: Received): Notice => noticeSchema.parse(JSON.parse(body));

test("from the question to the plan, a webhook and a channel are told with links to the thread", async () => {
  let isDown = true;
  const hub = await receiveNotices();
  const slack = await receiveNotices((_, response) => isDown && response.writeHead(503, { "retry-after": "1" }).end());
  const address = `${slack.url}/services/T0/B0/only-the-variable-has-this`;
  const { log, lines } = listeningLog();
  const life = await openHosted(
    {
      BOT_IDLE_MINUTES: "0",
      RELAY_NOTIFICATIONS: JSON.stringify([
        { name: "hub", kind: "webhook", url: `${hub.url}/hook`, secret_env: "HUB_SECRET", repositories: ["acme/*"] },
        { name: "team", kind: "slack", url_env: "TEAM_URL", events: ["waiting"] },
        { name: "other", kind: "webhook", url: hub.url, secret_env: "HUB_SECRET", repositories: ["umbrella/*"] },
      ]),
      HUB_SECRET: SIGNING_SECRET,
      TEAM_URL: address,
    },
    log,
  );
  const number = life.open("ann", "Wrong <!channel> total", "The total is wrong.");
  life.mock.act({ do: "assign", as: "mia", repo: PROJECT, number, login: "relay" });
  await life.reaches(number, "clarifying");
  life.say("ann", number, "1. `total([])` in src/cart.ts throws.\n2. It should be 0.");
  await life.reaches(number, "awaiting_proceed");
  life.say("mia", number, "go ahead");
  // A channel that is down keeps nothing waiting.
  await life.reaches(number, "waiting_confirmation");
  await expect.poll(() => hub.received.length, PATIENT).toBe(3);
  isDown = false;
  const texts = () => new Set(slack.received.map(({ body }) => body)).size;
  await expect.poll(texts, PATIENT).toBe(3);
  expect(hub.received.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook"]);
  expect(hub.received.map((one) => noticeIn(one).waiting_for?.what)).toEqual(["answers", "go_ahead", "approval"]);
  expect(await Promise.all(hub.received.map(async (one) => await isSigned(one)))).toEqual([true, true, true]);
  const [asked] = hub.received.map(noticeIn);
  expect(asked).toMatchObject({
    text: "I’m waiting for answers from ann.",
    waiting_for: { people: ["ann"], anyone_with: null },
    issue: { provider: "github", repository: PROJECT, number, title: "Wrong <!channel> total", state: "clarifying" },
    links: { thread: expect.stringMatching(/\/acme\/shop\/issues\/\d+#issuecomment-\d+$/) },
  });
  const channel = slack.received.map(({ body }) => body).join("\n");
  expect(channel).toContain(`acme/shop#${number}: I’m waiting for answers from ann. (Wrong &lt;!channel&gt; total)`);
  expect(channel).not.toContain("<!");
  expect(JSON.stringify(lines)).not.toContain("only-the-variable");
  expect(JSON.stringify(lines)).toContain("a notice was not taken; it will be sent again");
});

test("a secret that is missing keeps Relay from starting, and is named", async () => {
  const targets = [{ name: "team", kind: "slack", url_env: "TEAM_URL" }];
  const opening = openHosted({ RELAY_NOTIFICATIONS: JSON.stringify(targets) });
  await expect(opening).rejects.toThrow(
    "TEAM_URL is not set, and should hold the address of the notifications to “team”",
  );
});
