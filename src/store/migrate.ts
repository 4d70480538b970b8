import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Database } from "./db.ts";

const FILE_NAME = /^\d{4}_[\w-]+\.sql$/;

/**
 * Brings the database up to date: forward only, each file in a transaction of its own, one process at a time.
 * Throws `config` when the database is newer than this program, or when a file that was applied has changed since.
 */
export async function migrate(db: Database, folder: string): Promise<{ applied: string[] }> {
  const files = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).toSorted();
  return await db.withLock("relay.migrations", async () => {
    await db.execute(
      `create table if not exists schema_migrations (
         name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
      [],
    );
    const known = new Map(
      (
        await db.query(
          z.object({ name: z.string(), sha256: z.string() }),
          "select name, sha256 from schema_migrations",
          [],
        )
      ).map((row) => [row.name, row.sha256]),
    );
    const unknown = [...known.keys()].find((name) => !files.includes(name));
    if (unknown !== undefined) {
      throw new RelayError("config", `the database was made by a newer Relay (it has ${unknown}); update this one`);
    }
    const applied: string[] = [];
    for (const name of files) {
      const sql = await readFile(join(folder, name), "utf8");
      const sha256 = createHash("sha256").update(sql).digest("hex");
      const before = known.get(name);
      if (before !== undefined && before !== sha256) {
        throw new RelayError("config", `migration ${name} was changed after it was applied; restore the original file`);
      }
      if (before !== undefined) continue;
      await db
        .transaction(async (tx) => {
          await tx.executeSql(sql);
          await tx.execute("insert into schema_migrations (name, sha256) values ($1, $2)", [name, sha256]);
        })
        .catch((cause: unknown) => {
          if (cause instanceof RelayError) throw cause;
          const reason = messageOf(cause);
          throw new RelayError("internal", `migration ${name} failed and left nothing behind: ${reason}`, { cause });
        });
      applied.push(name);
    }
    return { applied };
  });
}
