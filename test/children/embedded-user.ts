// Uses the embedded server of a home like a `relay` command would; driven by the tests beside src/storage/embedded.
import { z } from "zod";
import { messageOf } from "../../src/lib/errors.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openDatabase } from "../../src/storage/db.ts";
import { openEmbedded } from "../../src/storage/embedded/server.ts";

const [home = "", what = "", transport = "socket", lookEveryS] = process.argv.slice(2);

try {
  const server = await openEmbedded({
    home,
    log: silentLog,
    transport: transport === "loopback" ? "loopback" : "socket",
    ...(lookEveryS === undefined ? {} : { lookEveryS: Number(lookEveryS) }),
  });
  const db = openDatabase(server.connection, 1);
  await db.execute("create table if not exists notes (n int primary key)", []).catch(() => null);
  process.stdout.write("open\n");
  if (what === "write-forever") {
    for (let n = 0; ; n += 1) {
      await db.execute("insert into notes values ($1)", [n]);
      process.stdout.write(`${n}\n`);
    }
  }
  // Says when it is there, and leaves when it is told to.
  if (what === "stay") await new Promise((resolve) => process.stdin.once("data", resolve));
  const rows = await db.query(z.object({ n: z.number() }), "select n from notes order by n", []);
  process.stdout.write(`rows ${rows.map((row) => row.n).join(",")}\n`);
  await db.close();
  await server.close();
  process.stdout.write("closed\n");
} catch (error) {
  process.stdout.write(`failed: ${messageOf(error)}\n`);
}
process.stdin.destroy();
