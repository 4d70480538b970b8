import type { Hono, MiddlewareHandler } from "hono";
import { describeRoute, generateSpecs, resolver, validator } from "hono-openapi";
import { z } from "zod";
import { RelayError } from "../../lib/errors.ts";
import type { PageEnv } from "../login.ts";

/** The one shape of every error. */
export const errorSchema = z
  .object({ error: z.string().meta({ description: "One sentence: what failed, on what, and how to fix it." }) })
  .meta({ id: "Error", description: "Why a call was not done." });

const REFUSALS = {
  400: "The call is not understood.",
  401: "It needs a login.",
  403: "Who calls may not do this, or the call came from a page of another site.",
  404: "There is nothing at this address that who calls may see.",
  409: "The state of the issue does not allow it, or the plan has moved on.",
  413: "The body is too large.",
  415: "The body must be JSON.",
  422: "The same `Idempotency-Key` came with another call.",
  429: "Too many wrong logins came from this address; `Retry-After` says how long to wait.",
  503: "The database is not there, or too slow; try again.",
} as const;
type Refusal = keyof typeof REFUSALS;

interface Told {
  /** The name of the operation, as generated clients have it. */
  id: string;
  tag: Tag;
  /** What it does, in one line. */
  summary: string;
  description?: string;
  status?: 200 | 201 | 202 | 204;
  /** What it answers; null for nothing, a media type for text. */
  answer: z.ZodType | "text/markdown" | null;
  refusals?: readonly Refusal[];
}

const TAGS = {
  issues: "Where issues stand, their threads, and what is known about them.",
  specs: "Specs with their versions.",
  plans: "Fix plans with their versions.",
  runs: "Runs of coding agents, their logs, and the pull request.",
  acts: "What people say and do at an issue, each in the name of who calls.",
  learnings: "What people taught Relay.",
  figures: "Model calls and costs.",
  operation: "Queue, dead letters, health and version.",
} as const;
type Tag = keyof typeof TAGS;

/** Describes a route in the OpenAPI document. */
export function told({ id, tag, summary, description, status = 200, answer, refusals = [] }: Told): MiddlewareHandler {
  const codes: Refusal[] = [...new Set<Refusal>([400, 401, ...refusals, 429, 503])];
  return describeRoute({
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    responses: {
      [status]: { description: "Done.", ...contentOf(answer) },
      ...Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/responses/${code}` }])),
    },
  });
}

function contentOf(answer: Told["answer"]) {
  if (answer === null) return {};
  if (typeof answer === "string") return { content: { [answer]: { schema: { type: "string" as const } } } };
  return { content: { "application/json": { schema: resolver(answer) } } };
}

/** Checks a query, path, body or header; the answer is 400 with a sentence if it does not fit (R-SAFE-5). */
export function given<S extends z.ZodType, T extends "query" | "param" | "json" | "header">(where: T, schema: S) {
  return validator(where, schema, (result) => {
    if (!result.success) throw new RelayError("usage", wrong(where, result.error));
  });
}

const PLACES = { query: "the query", param: "the path", json: "the body", header: "the headers" };

function wrong(where: keyof typeof PLACES, issues: readonly { message: string; path?: unknown }[]): string {
  const [first] = issues;
  const path = Array.isArray(first?.path) ? first.path.map(String).join(".") : "";
  const what = (first?.message ?? "it is not understood").replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  return `${PLACES[where]} is wrong${path === "" ? "" : ` at “${path}”`}: ${what}; /api/v1/openapi.json says what it may be`;
}

/** The OpenAPI document of these routes. */
export async function documentOf(api: Hono<PageEnv>, version: string): Promise<Record<string, unknown>> {
  const document = await generateSpecs(api, {
    defaultValidationErrorResponse: false,
    excludeStaticFile: false,
    documentation: {
      info: {
        title: "Relay",
        version,
        description: ABOUT,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/api/v1" }],
      security: [{ bearer: [] }, { cookie: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "A token of your own, as the dashboard makes it at `/tokens`, or `RELAY_ADMIN_TOKEN`.",
          },
          cookie: { type: "apiKey", in: "cookie", name: "relay", description: "The session of a browser." },
        },
        responses: Object.fromEntries(
          Object.entries(REFUSALS).map(([code, description]) => [
            code,
            { description, content: { "application/json": { schema: resolver(errorSchema) } } },
          ]),
        ),
      },
    },
  });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(JSON.stringify(document, plainly)));
}

/** Leaves out what only says at length that a number is a number, or a time a time. */
function plainly(key: string, value: unknown): unknown {
  if ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return undefined;
  if (key === "pattern" && typeof value === "string" && value.length > 100) return undefined;
  return value;
}

const ABOUT = `What the dashboard shows and does, as JSON. Every route needs a login, this document too: it tells nothing, but
whatever is not a webhook or a health check is behind one. More fields may be added to answers; none is taken away.

**Addresses.** An issue \`github/acme/shop#12\` is at \`/issues/github/acme%2Fshop/12\`; \`/issues/github/acme/shop/12\`
leads there too. Issues that you may not see answer 404, like those that are not there.

**Lists** have at most \`limit\` entries and a \`next\`: send it as the cursor of the next call until it is null. A page of a
filtered list may have fewer entries, or none, and still a \`next\`.

**Errors** are \`{"error": "a sentence"}\`.

**Calls that change something** take an \`Idempotency-Key\`: the same call with the same key has the same answer and no
second effect. With a cookie they need \`Content-Type: application/json\` and an origin of Relay's own.`;
