import { type Socket, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** What stands before the processes that take webhooks in, as a load balancer does. */
export interface LoadBalancer {
  /** Without a path. */
  url: string;
  /** Where one listens, or null where it does not any more. */
  lead(name: string, address: string | null): void;
  /** Cuts all connections through it. */
  cut(): void;
}

export async function openLoadBalancer(): Promise<LoadBalancer> {
  const ways = new Map<string, URL>();
  const open = new Set<Socket>();
  let turn = 0;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((client) => {
    client.on("error", () => {});
    const all = [...ways.values()];
    turn += 1;
    const way = all[turn % Math.max(1, all.length)];
    if (!way) {
      client.destroy();
      return;
    }
    const target = connect(Number(way.port), way.hostname);
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.pipe(target);
    target.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    cut();
    server.close();
  });
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    lead: (name, address) => void (address === null ? ways.delete(name) : ways.set(name, new URL(address))),
    cut,
  };
}
