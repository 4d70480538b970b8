import { expect, test } from "vitest";
import { PROJECT, openHosted } from "../support/hosted-relay.ts";
import type { Check } from "../../src/app/doctor.ts";
import { examineTrackers } from "../../src/cli/doctor/trackers.ts";
import { listRepositories } from "../../src/storage/repositories.ts";

const NEW_NAME = "acme/store";

test("a repository that the setting names by its old name is served under its new one; another one with the old name is not it", async () => {
  const relay = await openHosted({ RELAY_REPOSITORIES: PROJECT, BOT_IDLE_MINUTES: "0" });
  const number = relay.open("ann", "Wrong total in the cart", "`total` in src/cart.ts must be rounded to two digits.");
  relay.mock.act({ do: "assign", as: "tom", repo: PROJECT, number, login: "relay" });
  await expect.poll(async () => (await relay.stored(number))?.state).toMatch(/clarifying|awaiting_proceed/);
  relay.mock.act({ do: "rename_repository", as: "max", repo: PROJECT, name: "store" });
  const { comment } = relay.mock.act({ do: "comment", as: "mia", repo: NEW_NAME, number, body: "@relay go ahead" });
  const item = () => relay.mock.world.item(NEW_NAME, number);
  const eyes = () =>
    item()
      .comments.find(({ id }) => id === comment)
      ?.reactions.map(({ login }) => login);
  await expect.poll(eyes).toEqual(["relay"]);
  const names = async () =>
    (await listRepositories(relay.db, "github")).map(({ externalProjectId, formerNames }) => [
      externalProjectId,
      formerNames,
    ]);
  await expect.poll(names).toEqual([[NEW_NAME, [PROJECT]]]);
  // What is told after the new name is known is heard too.
  relay.mock.act({ do: "comment", as: "mia", repo: NEW_NAME, number, body: "@relay what is left to do?" });
  await expect.poll(() => item().comments.at(-1)?.author).toBe("relay");

  const rows: Check[] = [];
  const { config, env, db } = relay;
  await examineTrackers({ config, env, db, wanted: {} }, (row) => rows.push(row));
  expect(rows.find(({ name }) => name === `the name of ${PROJECT}`)?.mend).toContain(NEW_NAME);
  rows.length = 0;
  await examineTrackers({ config, env, db, wanted: { project: NEW_NAME } }, (row) => rows.push(row));
  expect(rows.map(({ name }) => name)).not.toContain("repositories");

  const people = { mia: "write", tom: "triage", relay: "write" } as const;
  relay.mock.plant({ repositories: [{ name: PROJECT, private: false, collaborators: people }] });
  expect(await names()).toEqual([[NEW_NAME, [PROJECT]]]);
});

test("the first word after a rename is acknowledged by a reaction, also where it does not call Relay (R-LIFE-8)", async () => {
  const relay = await openHosted({ RELAY_REPOSITORIES: PROJECT, BOT_IDLE_MINUTES: "0" });
  const number = relay.open("ann", "Totals are odd", "It breaks sometimes.");
  relay.mock.act({ do: "assign", as: "tom", repo: PROJECT, number, login: "relay" });
  await expect.poll(async () => (await relay.stored(number))?.state).toBe("clarifying");
  relay.mock.act({ do: "rename_repository", as: "max", repo: PROJECT, name: "store" });
  const { comment } = relay.mock.act({ do: "comment", as: "ann", repo: NEW_NAME, number, body: "1. It prints 4." });
  const eyes = () =>
    relay.mock.world
      .item(NEW_NAME, number)
      .comments.find(({ id }) => id === comment)
      ?.reactions.map(({ login }) => login);
  await expect.poll(eyes).toEqual(["relay"]);
});
