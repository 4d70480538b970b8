import { z } from "zod";
import type { Database } from "../../src/storage/db.ts";
import { freshDatabase } from "../support/database.ts";
import { lineTo } from "../support/database-proxy.ts";
import { type Desk, type Ended, newDesk } from "./cli-harness.ts";

const check = z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), mend: z.string().optional() });
const checks = z.object({ ok: z.boolean(), checks: z.array(check) });

/** A desk with a database of its own, and the environment that a command there gets. */
export async function newSetUpDesk(): Promise<Desk & { db: Database }> {
  const desk = await newDesk();
  const { db, connection } = await freshDatabase();
  const { url } = await lineTo(connection);
  return { ...desk, db, env: { ...desk.env, DATABASE_URL: url } };
}

/** What `relay doctor --json` or `relay init --json` found, by name. */
export function checksIn({ out }: Pick<Ended, "out">) {
  const found = checks.parse(JSON.parse(out));
  return { ok: found.ok, byName: Object.fromEntries(found.checks.map((one) => [one.name, one])) };
}
