import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { answerJson, bodyOf, serveOnLoopback } from "../../../../test/support/loopback.ts";
import { systemClock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import { type QuotaNews, unlimited } from "./quota.ts";
import { createTrackerHttp, type TrackerHttpOptions } from "./tracker-http.ts";

const TOKEN = "secret-of-this-test";
const quota = "q";

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

async function failure(call: Promise<unknown>): Promise<RelayError> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RelayError) return error;
  throw new Error("a RelayError was expected", { cause: error });
}

async function nobodyThere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

describe("what is sent", () => {
  test("a call goes below the path of the address, with its query, its body, and who it is from", async () => {
    const seen: unknown[] = [];
    const url = await serveOnLoopback(async (request, response) => {
      const { method, url: path, headers } = request;
      const { authorization, "user-agent": agent, "content-type": type } = headers;
      seen.push({ method, path, agent, authorization, type }, await bodyOf(request));
      answerJson(response, 201, { id: 7 });
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
        authorization: `Bearer ${TOKEN}`,
        type: "application/json",
      },
      '{"body":"ß"}',
    ]);
  });

  test("a token that does not fit into a header is refused without being told", async () => {
    const seen: (string | undefined)[] = [];
    const url = await serveOnLoopback((request, response) => {
      seen.push(request.url);
      answerJson(response, 200, {});
    });
    const authorization = async () => ({ authorization: `Bearer ${TOKEN}\nx: y` });
    const error = await failure(gate(url, { authorization })({ method: "GET", path: "/user", quota }));
    expect(error).toMatchObject({ code: "config", retryable: false });
    expect(`${error.message} ${String(error.cause)}`).not.toContain(TOKEN);
    expect(seen).toEqual([]);
  });
});

describe("what comes back", () => {
  test.each([
    ["application/json", '{"a":1}', { a: 1 }],
    ["application/vnd.github+json; charset=utf-8", "[1]", [1]],
    ["application/vnd.github.raw+json; charset=utf-8", '{"a":1}', '{"a":1}'],
    ["text/plain", '{"a":1}', '{"a":1}'],
    ["application/json", "", null],
  ])("%s %s", async (type, text, expected) => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(200, { "content-type": type }).end(text);
    });
    expect((await gate(url)({ method: "GET", path: "/", quota })).body).toEqual(expected);
  });

  test("a file that is JSON stays text where text was asked for", async () => {
    const url = await serveOnLoopback((_, response) => answerJson(response, 200, { a: 1 }));
    expect((await gate(url)({ method: "GET", path: "/", quota, as: "text" })).body).toBe('{"a":1}');
  });

  test("204 is an answer without content", async () => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(204).end();
    });
    expect(await gate(url)({ method: "DELETE", path: "/x", quota })).toMatchObject({ status: 204, body: null });
  });

  test("pages are followed by the addresses that the tracker names", async () => {
    const url = await serveOnLoopback((request, response) => {
      const page = new URL(request.url ?? "", "http://x").searchParams.get("page") ?? "1";
      const link = page === "1" ? { link: `<${url}/items?page=2>; rel="next", <${url}/items?page=2>; rel="last"` } : {};
      answerJson(response, 200, [page], link);
    });
    const call = gate(url);
    const first = await call({ method: "GET", path: "/items", quota });
    expect(first).toMatchObject({ body: ["1"], next: `${url}/items?page=2` });
    expect(await call({ method: "GET", path: first.next ?? "", quota })).toMatchObject({ body: ["2"], next: null });
  });

  test("a next page at another origin is not asked for, and the way to mend it is told", async () => {
    const url = await serveOnLoopback((_, response) => {
      answerJson(response, 200, [1], { link: '<http://other.example/items?page=2>; rel="next"' });
    });
    const call = gate(url);
    const { next } = await call({ method: "GET", path: "/items", quota });
    const error = await failure(call({ method: "GET", path: next ?? "", quota }));
    expect(error.code).toBe("invalid");
    expect(error.message).toMatch(/http:\/\/other\.example.*set the tracker's address/);
  });

  test("JSON that breaks off is no answer", async () => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"a":');
    });
    const error = await failure(gate(url)({ method: "GET", path: "/", quota }));
    expect(error).toMatchObject({ code: "unavailable", status: 200, retryable: true });
  });

  test.each([false, true])("a long answer is given up at its bound (ended: %s)", async (ends) => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("x".repeat(3_000));
      if (ends) response.end();
    });
    const call = gate(url, { maxBytes: 2_000 });
    expect(await failure(call({ method: "GET", path: "/", quota }))).toMatchObject({
      code: "too_large",
      retryable: false,
    });
  });

  test("a call may set a bound of its own", async () => {
    const url = await serveOnLoopback((_, response) => {
      response.end("x".repeat(3_000));
    });
    const call = gate(url, { maxBytes: 2_000 });
    expect((await call({ method: "GET", path: "/", quota, maxBytes: 3_000 })).body).toHaveLength(3_000);
  });
});

describe("failures", () => {
  test.each([
    [400, "invalid", false],
    [401, "forbidden", false],
    [403, "forbidden", false],
    [404, "not_found", false],
    [405, "invalid", false],
    [408, "timeout", true],
    [409, "invalid", false],
    [410, "not_found", false],
    [413, "too_large", false],
    [418, "invalid", false],
    [422, "invalid", false],
    [429, "rate_limited", true],
    [451, "forbidden", false],
    [500, "unavailable", true],
    [502, "unavailable", true],
    [503, "unavailable", true],
  ])("%i is %s", async (status, code, retryable) => {
    const url = await serveOnLoopback((_, response) => answerJson(response, status, { message: "No such luck" }));
    const error = await failure(gate(url)({ method: "POST", path: "/repos/a/b/issues?x=y", body: {}, quota }));
    expect(error).toMatchObject({ code, status, retryable });
    expect(error.message).toMatch(/^GitHub: POST \/repos\/a\/b\/issues was refused with \d+ \(No such luck\); /);
  });

  test("a token that the tracker repeats is not told", async () => {
    const url = await serveOnLoopback((request, response) => {
      answerJson(response, 422, { message: `bad header: ${request.headers.authorization}` });
    });
    const error = await failure(gate(url)({ method: "GET", path: "/", quota }));
    expect(error.message).toContain("bad header: [secret removed]");
    expect(error.message).not.toContain(TOKEN);
  });

  test("a failure whose text breaks off is still known by its status", async () => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(404, { "content-length": "1000" });
      response.write('{"message":', () => response.destroy());
    });
    expect(await failure(gate(url)({ method: "GET", path: "/", quota }))).toMatchObject({
      code: "not_found",
      status: 404,
    });
  });

  test("an answer that breaks off, and a server that is not there, are passing troubles without a status", async () => {
    let calls = 0;
    const url = await serveOnLoopback((_, response) => {
      calls += 1;
      response.writeHead(201, { "content-length": "1000" });
      response.write("{", () => response.destroy());
    });
    const cut = await failure(gate(url)({ method: "POST", path: "/", body: {}, quota }));
    expect(cut).toMatchObject({ code: "unavailable", retryable: true, status: undefined });
    expect(calls).toBe(1);
    const refused = await failure(gate(await nobodyThere())({ method: "GET", path: "/", quota }));
    expect(refused.code).toBe("unavailable");
    expect(refused.message).toMatch(/check the network and the tracker's address$/);
  });

  test("a server that says nothing is given up after a while", async () => {
    const url = await serveOnLoopback(() => {});
    const call = gate(url, { timeoutMs: 100 });
    expect(await failure(call({ method: "POST", path: "/", body: {}, quota }))).toMatchObject({ code: "timeout" });
  });

  test("a server that begins to answer and then says nothing is given up too", async () => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(200).write("x");
    });
    const call = gate(url, { timeoutMs: 1_000 });
    expect(await failure(call({ method: "GET", path: "/", quota }))).toMatchObject({ code: "timeout" });
  });
});

describe("credentials that the tracker refuses", () => {
  test("are asked for anew once, and the call is sent again with the new ones", async () => {
    const seen: string[] = [];
    const url = await serveOnLoopback(async (request, response) => {
      const { authorization = "" } = request.headers;
      seen.push(`${authorization} ${await bodyOf(request)}`);
      answerJson(response, authorization === "Bearer new" ? 201 : 401, {});
    });
    const authorization = async (refresh: boolean) => ({ authorization: refresh ? "Bearer new" : "Bearer old" });
    const answer = await gate(url, { authorization })({ method: "POST", path: "/c", body: 1, quota });
    expect(answer.status).toBe(201);
    expect(seen).toEqual(["Bearer old 1", "Bearer new 1"]);
  });

  test.each([
    ["new ones are the end", ["Bearer 0", "Bearer 1"]],
    ["the same ones are not sent again", ["Bearer 0"]],
  ])("and where %s", async (what, sent) => {
    const seen: unknown[] = [];
    const asked: boolean[] = [];
    const url = await serveOnLoopback((request, response) => {
      seen.push(request.headers.authorization);
      answerJson(response, 401, { message: "Bad credentials" });
    });
    const authorization = async (refresh: boolean) => {
      asked.push(refresh);
      return { authorization: `Bearer ${refresh && what.startsWith("new") ? 1 : 0}` };
    };
    const error = await failure(gate(url, { authorization })({ method: "GET", path: "/c", quota }));
    expect(error).toMatchObject({ code: "forbidden", status: 401 });
    expect(seen).toEqual(sent);
    expect(asked).toEqual([false, true]);
  });

  test.each([400, 403, 404, 408, 409, 429, 500, 502, 503])("nothing else is sent twice (%i)", async (status) => {
    let calls = 0;
    const url = await serveOnLoopback((_, response) => {
      calls += 1;
      answerJson(response, status, {}, { "retry-after": "1" });
    });
    await failure(gate(url)({ method: "GET", path: "/c", quota }));
    expect(calls).toBe(1);
  });
});

describe("redirects", () => {
  test("reading follows to what was renamed at the same origin", async () => {
    const url = await serveOnLoopback((request, response) => {
      if (request.url === "/new?x=1") answerJson(response, 200, { auth: request.headers.authorization });
      else response.writeHead(301, { location: "/new?x=1" }).end();
    });
    expect((await gate(url)({ method: "GET", path: "/old", quota })).body).toEqual({ auth: `Bearer ${TOKEN}` });
  });

  test("nothing goes to another origin", async () => {
    const seen: string[] = [];
    const other = await serveOnLoopback((request, response) => {
      seen.push(request.url ?? "");
      answerJson(response, 200, {});
    });
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(302, { location: `${other}/place?token=x` }).end();
    });
    const error = await failure(gate(url)({ method: "GET", path: "/old", quota }));
    expect(error).toMatchObject({ code: "not_found", status: 302 });
    expect(error.message).toContain(`${other}/place;`);
    expect(seen).toEqual([]);
  });

  test("writing is sent on only where the answer says that nothing was done yet", async () => {
    const seen: string[] = [];
    const url = await serveOnLoopback((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === "/new") answerJson(response, 201, {});
      else response.writeHead(request.url === "/renamed" ? 307 : 302, { location: "/new" }).end();
    });
    expect((await gate(url)({ method: "POST", path: "/renamed", body: {}, quota })).status).toBe(201);
    expect(await failure(gate(url)({ method: "POST", path: "/old", quota }))).toMatchObject({ status: 302 });
    expect(seen).toEqual(["POST /renamed", "POST /new", "POST /old"]);
  });

  test("a circle ends", async () => {
    const url = await serveOnLoopback((_, response) => {
      response.writeHead(302, { location: "/again" }).end();
    });
    expect(await failure(gate(url)({ method: "GET", path: "/", quota }))).toMatchObject({ code: "not_found" });
  });
});

test("limits are asked before a call and told after it", async () => {
  const told: unknown[] = [];
  const quotas = {
    admit: async (name: string, kind: string) => {
      told.push(`${name} ${kind}`);
    },
    observe: async (name: string, news: QuotaNews) => {
      told.push({ name, remaining: news.remaining, blockedForMs: news.blockedForMs });
    },
  };
  const url = await serveOnLoopback((request, response) => {
    const status = request.method === "GET" ? 200 : 403;
    answerJson(response, status, {}, { "x-ratelimit-remaining": "0", "retry-after": "7" });
  });
  const call = gate(url, { quotas });
  await call({ method: "GET", path: "/", quota });
  const error = await failure(call({ method: "PATCH", path: "/", body: {}, quota }));
  expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 7_000, status: 403 });
  await failure(call({ method: "POST", path: "/token", kind: "read", quota }));
  expect(told).toEqual([
    "q read",
    { name: "q", remaining: 0, blockedForMs: null },
    "q write",
    { name: "q", remaining: 0, blockedForMs: 7_000 },
    "q read",
    { name: "q", remaining: 0, blockedForMs: 7_000 },
  ]);
});

test("a call that the limits do not let through is not sent", async () => {
  let calls = 0;
  const url = await serveOnLoopback((_, response) => {
    calls += 1;
    answerJson(response, 200, {});
  });
  const quotas = {
    ...unlimited,
    admit: async () => {
      throw new RelayError("rate_limited", "later", { retryAfterMs: 1 });
    },
  };
  expect(await failure(gate(url, { quotas })({ method: "GET", path: "/", quota }))).toMatchObject({ message: "later" });
  expect(calls).toBe(0);
});
