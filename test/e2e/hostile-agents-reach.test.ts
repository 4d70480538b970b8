import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { testServer } from "../support/database.ts";
import { HAS_BUBBLEWRAP } from "../support/bubblewrap-fixture.ts";
import { BRANCH, CANARY, carriedOutBy, MENDS } from "./hostile-agent-fixture.ts";

/** Tries all that it is told to connect to and to read, and prints what it came to. */
const TRIES = `
const { connect } = require("node:net");
const { readFileSync, readdirSync } = require("node:fs");
const { sockets, files, folders } = JSON.parse(process.env.TOLD);
const tried = sockets.map((socket) => new Promise((done) => {
  connect(socket).on("connect", () => done("REACHED " + JSON.stringify(socket))).on("error", (error) => done(error.code));
}));
const seen = (what, look) => { try { return look() && "SEEN " + what; } catch (error) { return error.code; } };
for (const file of files) tried.push(seen(file, () => readFileSync(file, "utf8")));
for (const folder of folders) tried.push(seen(folder, () => readdirSync(folder).length > 0));
const proxy = new URL(process.env.HTTP_PROXY);
const ask = (request) => new Promise((done) => {
  let text = "";
  connect({ host: proxy.hostname, port: proxy.port }, function () { this.end(request); })
    .on("data", (part) => { text += part; }).on("close", () => done(text.split("\\r\\n")[0])).on("error", (error) => done(error.code));
});
for (const { port } of sockets.filter((socket) => socket.port)) {
  tried.push(ask("CONNECT 127.0.0.1:" + port + " HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"));
  tried.push(ask("GET http://127.0.0.1:" + port + "/ HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n"));
}
Promise.all(tried).then((all) => console.log(all.join("\\n")));
`;

/** A server of the machine's, at a port, or at a name without a file. */
async function serving(at: { port: number; host: string } | string): Promise<number> {
  const server = createServer((socket) => socket.end(CANARY));
  server.listen(at);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe.skipIf(!HAS_BUBBLEWRAP)("an agent that reaches out (where bubblewrap works)", () => {
  test("for other runs, Relay's folder and database, servers and processes of the machine finds none of them", async () => {
    const abstract = `\0relay-hostile-${process.pid}`;
    await serving(abstract);
    const port = await serving({ port: 0, host: "127.0.0.1" });
    const holder = spawn("sleep", ["600"], { env: { OTHER: CANARY }, stdio: "ignore" });
    onTestFinished(() => void holder.kill());
    const { server } = testServer();
    const { state, life, kept } = await carriedOutBy(
      `${MENDS}
      export TOLD; node - > src/found.txt 2>&1 <<'END'
${TRIES}
END
      cat src/found.txt`,
      {
        before: async ({ work: { home } }) => {
          const other = join(home, "work", "1234", "tree");
          mkdirSync(other, { recursive: true });
          writeFileSync(join(other, "secret"), CANARY);
          writeFileSync(join(home, "settings"), CANARY);
          const database = "host" in server ? [{ path: `${server.host}/.s.PGSQL.5432` }] : [];
          const process = `/proc/${holder.pid}`;
          return await Promise.resolve(
            JSON.stringify({
              sockets: [
                ...database,
                { path: abstract },
                { port, host: "127.0.0.1" },
                { port: 5432, host: "127.0.0.1" },
              ],
              files: [join(other, "secret"), join(home, "settings"), `${process}/environ`, "/proc/1/root/etc/shadow"],
              folders: [
                join(home, "mirrors"),
                join(home, "work"),
                join(home, ".."),
                `${process}/root`,
                "/root",
                "/home",
              ],
            }),
          );
        },
      },
    );
    expect(state).toBe("in_review");
    expect(kept).not.toContain(CANARY);
    const found = (await life.git("show", `${BRANCH}:src/found.txt`)).split("\n");
    expect(found.filter((line) => /REACHED|200/.test(line))).toEqual([]);
    // The folders above its own tree are there, and hold nothing but the way to it.
    const way = [join(life.work.home, "work"), life.folder];
    expect(found.filter((line) => line.startsWith("SEEN"))).toEqual(way.map((folder) => `SEEN ${folder}`));
    expect(found.filter((line) => line.includes("403 Forbidden"))).toHaveLength(4);
  });
});
