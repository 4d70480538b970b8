import { expect, test } from "vitest";
import { openApi } from "../support/api.ts";
import { openPlanning, planned } from "../support/planning-relay.ts";
import { call, mcpClient, mcpDeps } from "../support/mcp.ts";

/** As they stand in an address: NUL, half of a pair, no UTF-8, what commands a terminal, more than any number or name. */
const IN_ADDRESS = ["%00", "a%00b", "%ED%A0%80", "9".repeat(40), "9999-99-99", "%"];
const IN_JSON = ["a\u0000b", "\ud800", "x".repeat(20_000)];

const QUERIES = "q show before after part message run issue day stage model repository from to";
const PAGES = [
  "/",
  "/issues",
  "/try",
  "/queue",
  "/learnings",
  "/costs",
  "/calls",
  "/health",
  "/live",
  "/issues/local/shop/1",
  "/issues/local/shop/1/log",
  "/issues/local/shop/1/spec.md",
];

/** What answered with a fault of the server, of these requests. */
async function faults(requests: (() => Promise<{ what: string; status: number }>)[]): Promise<unknown[]> {
  const found: unknown[] = [];
  // A few at a time, as browsers do.
  const next = requests.values();
  const work = async () => {
    for (const request of next) {
      const { what, status } = await request();
      if (status >= 500) found.push([what.slice(0, 200), status]);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  return found;
}

async function opened() {
  const life = await openPlanning();
  await planned(life);
  await life.people.setMember("shop", "olga", "admin");
  return { life, api: await openApi(life) };
}

test("no page fails for text that cannot be stored, or is no text, wherever it stands in the address", async () => {
  const { api } = await opened();
  const session = await api.logIn();
  const paths = [
    ...PAGES.flatMap((page) => IN_ADDRESS.flatMap((odd) => [`${page}/${odd}`, ...queried(page, odd)])),
    ...IN_ADDRESS.flatMap((odd) => [
      `/${odd}`,
      `/issues/local/${odd}/1`,
      `/issues/local/shop/${odd}`,
      `/issues/${odd}/shop/1`,
    ]),
  ];
  const requests = paths.map((path) => async () => {
    const stop = new AbortController();
    const answer = await fetch(`${api.address}${path}`, {
      headers: { accept: "text/html", ...session },
      redirect: "manual",
      signal: stop.signal,
    });
    stop.abort();
    return { what: path, status: answer.status };
  });
  expect(await faults(requests)).toEqual([]);
});

/** The page with an odd query: each alone costs a request, so they come together, as far as they do not hide each other. */
function queried(page: string, odd: string): string[] {
  return [...QUERIES.split(" ").map((name) => `${page}?${name}=${odd}`)];
}

test("no form fails for such text in its fields", async () => {
  const { api } = await opened();
  const session = await api.logIn();
  const usual = {
    project: "shop",
    as: "mia",
    title: "T",
    body: "",
    text: "x",
    decision: "",
    do: "changes",
    path: "a",
    line: "1",
  };
  const forms = [
    "/try",
    "/issues/local/shop/1/say",
    "/issues/local/shop/1/review",
    "/learnings/1",
    "/queue",
    "/queue/1/retry",
  ];
  const requests = forms.flatMap((path) =>
    [...Object.keys(usual), "once", "plan", "key", "content"].flatMap((field) =>
      IN_ADDRESS.map((odd) => async () => {
        const body = Object.entries({ ...usual, [field]: "" })
          .map(([name, value]) => `${name}=${name === field ? odd : encodeURIComponent(value)}`)
          .join("&");
        const headers = { origin: api.address, "content-type": "application/x-www-form-urlencoded", ...session };
        const answer = await fetch(`${api.address}${path}`, { method: "POST", headers, body, redirect: "manual" });
        return { what: `${path} ${field}=${odd}`, status: answer.status };
      }),
    ),
  );
  expect(await faults(requests)).toEqual([]);
});

test("no call of the API fails for such text in its path, its query or its body", async () => {
  const { api } = await opened();
  const usual: Record<string, string> = { provider: "local", project: "shop", number: "1" };
  const { paths } = await api.document();
  const requests = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
      const filled = (odd: string | null, name: string | null) =>
        path.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
          part === name && odd !== null ? odd : (usual[part] ?? "1"),
        );
      const send = (what: string, body?: unknown) => async () => {
        const { status } = await api.call(method.toUpperCase(), what, method === "get" ? undefined : (body ?? {}));
        return { what: `${method} ${what} ${JSON.stringify(body) ?? ""}`, status };
      };
      const inPath = parameters.filter((one) => one.in === "path" && one.name !== "provider").map(({ name }) => name);
      const inQuery = parameters.filter((one) => one.in === "query").map(({ name }) => name);
      const fields = ["text", "title", "body", "repository", "as", "content", "do", "issue", "path"];
      const bodies = IN_JSON.flatMap((odd) => [
        Object.fromEntries(fields.map((name) => [name, odd])),
        ...["text", "content", "as", "title", "body", "repository"].map((name) => ({ ...BODIES[path], [name]: odd })),
      ]);
      return [
        ...inPath.flatMap((name) => IN_ADDRESS.map((odd) => send(filled(odd, name)))),
        ...inQuery.flatMap((name) =>
          IN_ADDRESS.filter((odd) => name !== "wait" || odd !== "1").map((odd) =>
            send(`${filled(null, null)}?${name}=${odd}`),
          ),
        ),
        ...(method === "get" ? [] : bodies.map((body) => send(filled(null, null), body))),
      ];
    }),
  );
  expect(requests.length).toBeGreaterThan(500);
  expect(await faults(requests)).toEqual([]);
});

const BODIES: Record<string, Record<string, unknown>> = {
  "/issues": { repository: "shop", title: "Again" },
  "/issues/{provider}/{project}/{number}/comments": { text: "x" },
  "/issues/{provider}/{project}/{number}/review": { do: "changes", text: "x" },
};

test("no tool of MCP fails for such text: each call is answered by a sentence of its own", async () => {
  const { life } = await opened();
  const client = await mcpClient(mcpDeps(life));
  const { tools } = await client.listTools();
  for (const { name, inputSchema } of tools) {
    const fields = Object.keys(inputSchema.properties ?? {});
    for (const field of fields) {
      for (const odd of IN_JSON) {
        const said = await call(client, name, { ...USUAL[name], [field]: odd });
        expect([name, field, said.text]).toEqual([name, field, expect.not.stringMatching(/unexpected/)]);
      }
    }
  }
});

const USUAL: Record<string, Record<string, unknown>> = {
  get_issue: { issue: "local/shop#1" },
  get_plan: { issue: "local/shop#1" },
  read_spec: { issue: "local/shop#1", mode: "full" },
  explore: { query: "total" },
  validate_spec: { content: "# x" },
  answer_gap: { issue: "local/shop#1", gap: 1, answer: "x" },
};
