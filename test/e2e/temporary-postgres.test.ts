import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openDatabase } from "../../src/storage/db.ts";

const CHILD = join(import.meta.dirname, "../children/temporary-postgres.ts");
const place = z.object({ host: z.string(), port: z.number(), user: z.string(), database: z.string() });

test.each(["SIGTERM", "SIGKILL"] as const)(
  "the server of the tests ends with a run that %s ends, and leaves nothing",
  async (signal) => {
    const run = spawn(process.execPath, [CHILD], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void run.kill("SIGKILL"));
    const first = await createInterface({ input: run.stdout })[Symbol.asyncIterator]().next();
    const connection = place.parse(JSON.parse(z.string().parse(first.value)));
    const db = openDatabase(connection, 1);
    const { data } = await db.one(
      z.object({ data: z.string() }),
      "select setting as data from pg_settings where name = 'data_directory'",
      [],
    );
    await db.close();
    run.kill(signal);
    const isThere = async () =>
      await access(data).then(
        () => true,
        () => false,
      );
    await expect.poll(isThere).toBe(false);
    const again = openDatabase(connection, 1);
    await expect(again.execute("select 1", [])).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    await again.close();
  },
);
