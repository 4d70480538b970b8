import { type Socket, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";
import type { Connecting } from "../../src/storage/db.ts";

/** A line to a database that can be cut, as when its server is down, and mended. */
export interface DatabaseLine {
  /** For `DATABASE_URL`. */
  url: string;
  cut(): void;
  mend(): void;
}

export async function lineTo(connection: Connecting): Promise<DatabaseLine> {
  const { user, database, target } = partsOf(connection);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    client.on("error", () => {});
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    cut,
    mend: () => {
      isCut = false;
    },
  };
}

function partsOf(connection: Connecting) {
  if (!("connectionString" in connection)) {
    const { host, port = 5432, user, database } = connection;
    return { user, database, target: host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port } };
  }
  const { hostname, port, username, password, pathname } = new URL(connection.connectionString);
  const user = password === "" ? username : `${username}:${password}`;
  return { user, database: pathname.slice(1), target: { host: hostname, port: Number(port || "5432") } };
}
