import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../lib/clock.ts";
import { unlimited } from "./quota.ts";
import { createTrackerHttp } from "./tracker-http.ts";
import type { TrackerHttpOptions } from "./tracker-http.ts";

const TOKEN = "secret-of-this-test";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

function gate(baseUrl: string, more: Partial<TrackerHttpOptions> = {}) {
  return createTrackerHttp({
    baseUrl,
    name: "GitHub",
    authorization: async () => ({ authorization: `Bearer ${TOKEN}` }),
    quotas: unlimited,
    clock: systemClock,
    ...more,
  });
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const quota = "q";

test("a call is sent below the path of the address, with its query, its body, and who it is from", async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    const { method, url: path, headers } = request;
    seen.push({
      method,
      path,
      agent: headers["user-agent"],
      auth: headers.authorization,
      type: headers["content-type"],
    });
    seen.push(await bodyOf(request));
    json(response, 201, { id: 7 });
  });
  const answer = await gate(`${url}/api/v4/`)({
    method: "POST",
    path: "/projects/a%2Fb/issues",
    query: { search: "a b&c", page: 2, all: true },
    body: { body: "ß" },
    quota,
  });
  expect(answer).toMatchObject({ status: 201, body: { id: 7 }, next: null });
  expect(seen).toEqual([
    {
      method: "POST",
      path: "/api/v4/projects/a%2Fb/issues?search=a+b%26c&page=2&all=true",
      agent: "relay/0.1",
      auth: `Bearer ${TOKEN}`,
      type: "application/json",
    },
    '{"body":"ß"}',
  ]);
});
