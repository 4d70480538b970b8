import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

export interface Seen {
  method: string;
  path: string;
  authorization: string | undefined;
}

/** What happens to the content of an answer once it has reached some bytes. */
export interface Trouble {
  afterBytes: number;
  /** `cut` closes the connection, `wait` goes on after `release`, `trickle` sends some bytes now and then. */
  act: "cut" | "wait" | "trickle";
}

export interface GitServer {
  origin: string;
  seen: Seen[];
  /** Bytes of content sent. */
  sent: number;
  /** Who may read; everybody where undefined. */
  login: { username: string; password: string } | undefined;
  /** Answers instead of git where it returns true. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  trouble: Trouble | undefined;
  /** Called when git has taken a push, before whoever pushed knows. */
  pushed: (() => Promise<void>) | undefined;
  /** Resolves when an answer has run into the trouble. */
  reached(): Promise<void>;
  /** Ends the trouble. */
  release(): void;
  close(): Promise<void>;
}

/** Serves the bare repositories in a folder over smart HTTP on loopback, by git's own CGI program. */
export async function startGitServer(folder: string): Promise<GitServer> {
  const released = new Set<() => void>();
  const awaited = new Set<() => void>();
  let inTrouble = false;
  const http = createServer((request, response) => {
    const path = request.url ?? "";
    server.seen.push({ method: request.method ?? "", path, authorization: request.headers.authorization });
    response.on("error", () => {});
    if (server.instead?.(request, response)) return;
    if (server.login) {
      const { username, password } = server.login;
      const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
      if (request.headers.authorization !== wanted) {
        response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
        return;
      }
    }
    serve(request, response, path);
  });

  function serve(request: IncomingMessage, response: ServerResponse, path: string): void {
    const question = path.indexOf("?");
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env["PATH"],
        HOME: "/nonexistent",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_COUNT: "2",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
        GIT_CONFIG_KEY_1: "uploadpack.allowAnySHA1InWant",
        GIT_CONFIG_VALUE_1: "true",
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: request.method,
        PATH_INFO: question === -1 ? path : path.slice(0, question),
        QUERY_STRING: question === -1 ? "" : path.slice(question + 1),
        CONTENT_TYPE: request.headers["content-type"],
        CONTENT_LENGTH: request.headers["content-length"],
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
        HTTP_GIT_PROTOCOL: header(request, "git-protocol"),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => {});
    request.pipe(child.stdin);
    response.on("close", () => child.kill());
    void answer(child.stdout, response, request).catch(() => response.destroy());
  }

  async function answer(
    output: AsyncIterable<Buffer>,
    response: ServerResponse,
    { method, url }: IncomingMessage,
  ): Promise<void> {
    let head: Buffer | undefined = Buffer.alloc(0);
    let bytes = 0;
    for await (const chunk of output) {
      let content = chunk;
      if (head) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf("\r\n\r\n");
        if (end === -1) continue;
        writeHead(response, head.toString("latin1", 0, end));
        content = head.subarray(end + 4);
        head = undefined;
      }
      while (content.length > 0) {
        const room = server.trouble ? Math.max(server.trouble.afterBytes - bytes, 0) : content.length;
        const part = content.subarray(0, room);
        content = content.subarray(part.length);
        bytes += part.length;
        server.sent += part.length;
        if (part.length > 0) response.write(part);
        if (content.length === 0) break;
        inTrouble = true;
        for (const tell of awaited) tell();
        switch (server.trouble?.act) {
          case "cut":
            // Once what was written has left.
            await pause(50);
            response.destroy();
            return;
          case "wait":
            await new Promise<void>((resolve) => {
              released.add(resolve);
            });
            break;
          case "trickle":
            response.write(content.subarray(0, 100));
            content = content.subarray(100);
            await pause(20);
            break;
          default:
            break;
        }
      }
    }
    if (method === "POST" && url?.endsWith("/git-receive-pack") === true) await server.pushed?.();
    response.end();
  }

  const server: GitServer = {
    origin: "",
    seen: [],
    sent: 0,
    login: undefined,
    instead: undefined,
    trouble: undefined,
    pushed: undefined,
    reached: () =>
      new Promise((resolve) => {
        if (inTrouble) resolve();
        else awaited.add(resolve);
      }),
    release() {
      server.trouble = undefined;
      inTrouble = false;
      awaited.clear();
      for (const go of released) go();
      released.clear();
    },
    async close() {
      server.release();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  server.origin = `http://127.0.0.1:${address.port}`;
  return server;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") status = Number(value.slice(0, 3));
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
