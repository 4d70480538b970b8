import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";

/** Name of the leash in the door's folder. */
export const LEASH = "leash";

const MOST_CONNECTIONS = 64;

/**
 * Listens at a socket where nothing is said: a container ends when its connection there does, so that none goes on when
 * Relay is killed.
 */
export async function openLeash(path: string): Promise<{ close: () => Promise<void> }> {
  const held = new Set<Socket>();
  const server = createServer((socket) => {
    held.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => held.delete(socket));
    socket.resume();
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen({ path, writableAll: true });
  await once(server, "listening");
  return {
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of held) socket.destroy();
      await closed;
    },
  };
}
