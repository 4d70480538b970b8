import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ReceiveWithin } from "../../src/intake/receive.ts";
import { ADMIN_TOKEN, openDashboard } from "../support/dashboard.ts";
import { openPlanning, planned } from "../support/planning-relay.ts";
import type { Life } from "../support/relay.ts";

const SHOP = "/issues/local/shop/1";

/** A way to change something in the local tracker; the name of the event that Relay must hear of. */
interface Write {
  form?: Record<string, string>;
  json?: Record<string, unknown>;
  path: string;
  heard: string[];
}

const WRITES: Record<string, Write> = {
  "a form that opens an issue": {
    path: "/try",
    form: { project: "shop", as: "ann", title: "Again", body: "Wrong.", once: "1" },
    heard: ["opened", "assigned"],
  },
  "a form with a comment": {
    path: `${SHOP}/say`,
    form: { as: "mia", text: "In cents.", once: "1" },
    heard: ["commented"],
  },
  "a button": { path: `${SHOP}/say`, form: { as: "mia", decision: "stop" }, heard: ["commented"] },
  "a call that opens an issue": {
    path: "/api/v1/issues",
    json: { repository: "shop", title: "Again" },
    heard: ["opened", "assigned"],
  },
  "a call with a comment": { path: `/api/v1${SHOP}/comments`, json: { text: "In cents." }, heard: ["commented"] },
  "a call that decides": { path: `/api/v1${SHOP}/stop`, json: {}, heard: ["commented"] },
};

async function written(life: Life) {
  const { rows } = await life.db.executeSql(
    `select (select count(*)::int from local_issues) as issues, (select count(*)::int from local_comments where author <> 'relay') as comments`,
  );
  return z.array(z.object({ issues: z.number(), comments: z.number() })).parse(rows);
}

async function heardOf(life: Life, after: number) {
  const sql = `select event ->> 'kind' as kind from deliveries order by position offset $1`;
  return (await life.db.query(z.object({ kind: z.string() }), sql, [after])).map(({ kind }) => kind);
}

async function send(life: Life, { path, form, json }: Write, receiveWithin?: ReceiveWithin): Promise<number> {
  const page = await openDashboard(life, receiveWithin === undefined ? {} : { receiveWithin });
  if (form !== undefined) return (await page.send(path, form, await page.logIn())).status;
  const answer = await fetch(`${page.address}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      "content-type": "application/json",
      "idempotency-key": "one",
    },
    body: JSON.stringify(json),
  });
  return answer.status;
}

describe("what somebody does in the local tracker by a page or a call", () => {
  test.each(Object.entries(WRITES))(
    "is done with its event or not at all, where the process ends between them: %s",
    async (_, write) => {
      const life = await openPlanning();
      await planned(life);
      await life.people.setMember("shop", "olga", "admin");
      const [before, known] = [await written(life), (await heardOf(life, 0)).length];
      const ends: ReceiveWithin = async () => await Promise.reject(new Error("killed"));
      expect(await send(life, write, ends)).toBe(500);
      expect(await written(life)).toEqual(before);
      expect(await send(life, write)).toBeLessThan(400);
      expect(await written(life)).not.toEqual(before);
      expect(await heardOf(life, known)).toEqual(write.heard);
      const after = await written(life);
      expect(await send(life, write)).toBeLessThan(400);
      expect(await written(life)).toEqual(after);
      expect(await heardOf(life, known)).toEqual(write.heard);
    },
  );
});
