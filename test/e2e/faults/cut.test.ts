import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Socket, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { main } from "../../../src/cli/main.ts";
import type { Terminal } from "../../../src/cli/terminal.ts";
import { exec } from "../../../src/lib/exec.ts";
import { type Connecting, type Database, openDatabase } from "../../../src/storage/db.ts";
import { serverOf, testServer } from "../../support/database.ts";
import { EXAMPLES } from "../cli-harness.ts";
import { violationsIn } from "./cli-invariants.ts";

/*
 * The connections to the database break at the n-th thing that `relay spec` asks of it, either before it is done or
 * after it, when only the answer is lost. Then the same command runs undisturbed: between any two statements is
 * where a crash can come. RELAY_TEST_CUTS says how many n, spread over all, are tried.
 */
const CUTS = Number(process.env["RELAY_TEST_CUTS"] ?? 4);

test(
  "cut off from the database at any statement, relay spec says so in a sentence and goes on the next time",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "relay-cut-"));
    onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
    await exec("git", ["clone", "--quiet", join(EXAMPLES, "sample.bundle"), join(folder, "quillbill")]);
    const root = openDatabase(testServer().server, 1);
    onTestFinished(async () => await root.close());

    const undisturbed = await cutOnce(folder, root, { at: Infinity, when: "before" });
    expect(undisturbed).toMatchObject({ codes: [0, 0], err: "", troubles: [] });
    const step = Math.max(1, undisturbed.asked / CUTS);
    const wrong: unknown[] = [];
    for (let n = 0; n * step < undisturbed.asked; n += 1) {
      const at = 1 + Math.floor(n * step);
      for (const when of ["before", "after"] as const) {
        const { codes, err, troubles } = await cutOnce(folder, root, { at, when });
        const good =
          codes[1] === 0 &&
          troubles.length === 0 &&
          (codes[0] === 0 || /^relay: (?!something unexpected).*\n$/.test(err));
        if (!good) wrong.push({ at, when, codes, err, troubles });
      }
    }
    expect(wrong).toEqual([]);
  },
  300_000 + CUTS * 120_000,
);

interface Cut {
  at: number;
  when: "before" | "after";
}

/** The command with its connections cut, and once more with whole ones, on a database of its own. */
async function cutOnce(folder: string, root: Database, cut: Cut) {
  const name = `relay_cut_${randomBytes(6).toString("hex")}`;
  await root.execute(`create database ${name} template ${testServer().template} strategy file_copy`, []);
  const home = await mkdtemp(join(folder, "home-"));
  const line = await cuttableLine(testServer().server, cut);
  try {
    const config = join(home, "relay.yaml");
    const url = `postgres://${line.user}@127.0.0.1:${line.port}/${name}`;
    await writeFile(config, JSON.stringify({ database_url: url, home, spec_root: join(home, "specs") }));
    const args = ["spec", join(EXAMPLES, "issue.md"), "--repo", join(folder, "quillbill"), "--config", config];
    const said = { err: "" };
    const terminal = listening(said);
    const all = [...args, "--answers", join(EXAMPLES, "answers.yaml"), "--json"];
    const first = await main(all, terminal);
    const { err } = said;
    const asked = line.asked();
    line.mend();
    const second = await main(all, terminal);
    const db = openDatabase(serverOf(testServer().server, name), 1);
    const troubles = await violationsIn(db);
    await db.close();
    return { codes: [first, second], err: second === 0 ? err : said.err, asked, troubles };
  } finally {
    line.close();
    await root.execute(`drop database ${name} with (force)`, []);
    await rm(home, { recursive: true, force: true });
  }
}

function listening(said: { err: string }): Terminal {
  return {
    out: () => {},
    err: (text) => void (said.err += text),
    interactive: false,
    progress: false,
    color: false,
    outputFailure: () => null,
    readInput: async () => await Promise.resolve(""),
  };
}

/** A line to the server that breaks, with all connections on it, at the n-th request. */
async function cuttableLine(server: Connecting, { at, when }: Cut) {
  let asked = 0;
  let broken = false;
  let mended = false;
  const open = new Set<Socket>();
  const cutAll = () => {
    broken = true;
    for (const socket of open) socket.destroy();
  };
  const proxy = createServer((client) => {
    const target = connect(addressOf(server));
    let greeted = false;
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    if (broken) client.destroy();
    target.on("data", (bytes: Buffer) => {
      if (mended || asked < at || when === "before") client.write(bytes);
      else cutAll();
    });
    client.on("data", (bytes: Buffer) => {
      if (greeted) asked += 1;
      greeted = true;
      if (asked >= at && when === "before" && !mended) cutAll();
      else target.write(bytes);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    user: "user" in server ? server.user : new URL(server.connectionString).username,
    asked: () => asked,
    mend: () => {
      broken = false;
      mended = true;
    },
    close: () => {
      cutAll();
      proxy.close();
    },
  };
}

function addressOf(server: Connecting) {
  if ("host" in server) return { path: join(server.host, ".s.PGSQL.5432") };
  const { hostname, port } = new URL(server.connectionString);
  return { host: hostname, port: Number(port || 5432) };
}
