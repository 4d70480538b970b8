import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { KEEPS_CONNECTIONS } from "../../../test/support/keep-alive.ts";
import { failureOf } from "./failure.ts";
import { guardedFetch } from "./http.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(KEEPS_CONNECTIONS, listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
}

test("a redirect is not followed, so that no key goes with it", async () => {
  const seen: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    seen.push(request.url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  const response = await guardedFetch(fetch)(url, { headers: { "x-api-key": "key" } });
  expect(response.status).toBe(307);
  expect(seen).toEqual(["/"]);
});

test("a page is no answer, and the failure says so with its address", async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Hello</html>");
  });
  const error: unknown = await guardedFetch(fetch)(`${url}v2/chat?key=secret`).catch((thrown: unknown) => thrown);
  const given = failureOf(error, { model: "openai-compatible/m", key: null, began: false, now: new Date(0) });
  expect(given).toMatchObject({ kind: "not_found", retryable: false });
  expect(given.message).toContain(`${url}v2/chat answered with a page (text/html; charset=utf-8)`);
  expect(given.message).not.toContain("secret");
});

test("a server that says nothing for longer than Node's own five minutes is waited for, as the settings say", async () => {
  const given: unknown[] = [];
  const fake: typeof fetch = async (_input, init) => {
    given.push(init);
    return await Promise.resolve(new Response("ok"));
  };
  await guardedFetch(fake)("http://127.0.0.1/");
  expect(given).toEqual([expect.objectContaining({ redirect: "manual", dispatcher: expect.anything() })]);
  // It is one that fetch takes.
  const url = await serve((_request, response) => void response.end("ok"));
  expect(await (await guardedFetch(fetch)(url)).text()).toBe("ok");
});

test("an answer without an end is read up to its bound only", async () => {
  const url = await serve((_, response) => {
    // Never ended.
    response.write("x".repeat(2_000_000));
  });
  const response = await guardedFetch(fetch, 500_000)(url);
  await expect(response.text()).rejects.toThrow(/more than 500000 bytes/);
});

test("what came before a connection broke is handed on", async () => {
  const url = await serve((_, response) => {
    response.write("the first part", () => response.destroy());
  });
  expect(await (await guardedFetch(fetch)(url)).text()).toBe("the first part");
});
