import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Greeting, readGreeting, readSecondGreeting, wantsAnotherHello } from "./client-hello.ts";
import { type Connect, nameAt } from "./connect.ts";
import { plainHost } from "./match-host.ts";
import { type RefusedHost, type Refusals, shownHost } from "./refusals.ts";

const IDLE_MS = 10 * 60_000;
/** Milliseconds for a whole client hello. */
const GREETING_MS = 15_000;
/** A TLS alert: unrecognized name. */
const ALERT = Buffer.from([21, 3, 1, 0, 2, 2, 112]);

/**
 * Opens a tunnel to an allowed host, for TLS to that host and nothing else: the handshake must name the host that was
 * asked for, since the servers of a CDN answer for many (R-WORK-13).
 */
export async function openTunnel(
  incoming: IncomingMessage,
  client: Duplex,
  { head, connectTo, refusals }: { head: Buffer; connectTo: Connect; refusals: Refusals },
): Promise<void> {
  const [, given = "", digits = ""] = /^([^:[\]/@\s]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(incoming.url ?? "") ?? [];
  const [host, port] = [plainHost(given), Number(digits)];
  const name = nameAt(host, port);
  if (port === 80) {
    const reason = "a tunnel to port 80 is not opened; ask the proxy for http:// addresses without one";
    refusals.add({ host: name, reason, unlisted: false });
    return answer(client, "403 Forbidden", reason);
  }
  const connection = await connectTo(host, port);
  if (client.destroyed) {
    if (connection.kind === "connected") connection.socket.destroy();
    return;
  }
  if (connection.kind !== "connected") {
    return answer(client, connection.kind === "refused" ? "403 Forbidden" : "502 Bad Gateway", connection.reason);
  }
  const far = connection.socket;
  far.setTimeout(IDLE_MS, () => far.destroy());
  far.on("error", () => client.destroy());
  far.on("close", () => void client.end(() => client.destroy()));
  client.on("close", () => far.destroy());
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) client.unshift(head);
  const refused = await greet(client, far, name);
  if (refused === null) {
    client.pipe(far).pipe(client);
    return;
  }
  if (refused !== "gone") refusals.add(refused);
  far.destroy();
}

/** Passes on the handshake's greetings. Returns what is refused in them, or `gone` if one side left. */
async function greet(client: Duplex, far: Duplex, name: string): Promise<RefusedHost | "gone" | null> {
  const late = setTimeout(() => client.destroy(), GREETING_MS);
  try {
    const first = await pass(client, far, { name, read: readGreeting });
    if (first !== null) return first;
  } finally {
    clearTimeout(late);
  }
  // What the program sends before the server's answer waits: the server may want another greeting.
  const answered = await take(far, (bytes) => {
    const retry = wantsAnotherHello(bytes);
    return retry === null ? null : { length: bytes.length, found: retry };
  });
  if (answered === null) return "gone";
  client.write(answered.bytes);
  return answered.found ? await pass(client, far, { name, read: readSecondGreeting }) : null;
}

/** Passes one greeting on if it is for the host of that name. */
async function pass(
  client: Duplex,
  far: Duplex,
  { name, read }: { name: string; read: (bytes: Buffer) => Greeting },
): Promise<RefusedHost | "gone" | null> {
  const taken = await take(client, (seen) => {
    const greeting = read(seen);
    if (greeting.kind === "incomplete") return null;
    return { length: greeting.kind === "hello" ? greeting.length : seen.length, found: greeting };
  });
  if (taken === null) return "gone";
  const refused = reasonAgainst(taken.found, name);
  if (refused === null) far.write(taken.bytes);
  else client.end(taken.found.kind === "hello" ? ALERT : refusal("403 Forbidden", refused.reason));
  return refused;
}

function reasonAgainst(greeting: Greeting, name: string): RefusedHost | null {
  const host = name.replace(/:\d+$/, "");
  if (greeting.kind !== "hello") {
    return { host: name, reason: `what was sent to ${name} is no TLS`, unlisted: false };
  }
  if (greeting.hidden) {
    const reason = `a TLS connection to ${name} hides which host it is for (encrypted client hello)`;
    return { host: name, reason, unlisted: false };
  }
  if (greeting.host === null) {
    return { host: name, reason: `a TLS connection to ${name} did not name its host (no SNI)`, unlisted: false };
  }
  if (plainHost(greeting.host) === host) return null;
  const other = shownHost(greeting.host);
  return { host: other, reason: `a TLS connection to ${name} was for ${other}`, unlisted: true };
}

/** The first bytes of a stream, as many as `find` wants; null where it ends before. The rest stays in the stream. */
async function take<T>(
  stream: Duplex,
  find: (seen: Buffer) => { length: number; found: T } | null,
): Promise<{ bytes: Buffer; found: T } | null> {
  let seen = Buffer.alloc(0);
  for (;;) {
    const chunk: unknown = stream.read();
    if (Buffer.isBuffer(chunk)) {
      seen = Buffer.concat([seen, chunk]);
      const part = find(seen);
      if (part === null) continue;
      if (part.length < seen.length) stream.unshift(seen.subarray(part.length));
      return { bytes: seen.subarray(0, part.length), found: part.found };
    }
    if (stream.readableEnded || stream.destroyed) return null;
    await readable(stream);
  }
}

async function readable(stream: Duplex): Promise<void> {
  await new Promise<void>((resolve) => {
    const events = ["readable", "end", "close"];
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}

function answer(client: Duplex, status: string, reason: string): void {
  client.end(refusal(status, reason));
}

function refusal(status: string, reason: string): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nrelay: ${reason}\n`;
}
