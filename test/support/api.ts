import { z } from "zod";
import { ADMIN_TOKEN, openDashboard } from "./dashboard.ts";
import type { Life } from "./relay.ts";

type Headers = Record<string, string>;

const operationSchema = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(
      z.looseObject({
        in: z.string(),
        name: z.string(),
        required: z.boolean().optional(),
        schema: z.looseObject({ type: z.string().optional(), enum: z.array(z.string()).optional() }),
      }),
    )
    .optional(),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
});

/** As far as tests read it. */
export const documentSchema = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});
export type ApiDocument = z.infer<typeof documentSchema>;

export interface Told {
  status: number;
  headers: globalThis.Headers;
  text: string;
  json: unknown;
}

/** The API of a Relay on a port of its own, called with the admin token unless headers say otherwise. */
export async function openApi(life: Life) {
  const dashboard = await openDashboard(life);
  const call = async (method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Told> => {
    const answer = await fetch(`${dashboard.address}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, json: jsonIn(text) };
  };
  const get = async (path: string, headers?: Headers) => await call("GET", path, undefined, headers);
  const post = async (path: string, body: unknown = {}, headers?: Headers) => await call("POST", path, body, headers);
  const document = async () => documentSchema.parse((await get("/openapi.json")).json);
  return { ...dashboard, call, get, post, document };
}

/** Null for what is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
