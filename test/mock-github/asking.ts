import { z } from "zod";
import type { MockGithub } from "./server.ts";
import type { Seed } from "./world/seed.ts";

export interface Said {
  status: number;
  headers: Headers;
  /** Its fields, where it is an object. */
  body: Record<string, unknown>;
  /** Its entries, where it is a list of objects. */
  list: Record<string, unknown>[];
  text: string;
}

const Fields = z.record(z.string(), z.unknown());

/** Asks the mock as a client with this token. */
export function asking(mock: MockGithub, token: string | null) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Said> => {
    const response = await fetch(path.startsWith("http") ? path : mock.url + path, {
      method,
      redirect: "manual",
      headers: {
        accept: "application/vnd.github+json",
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: unknown = response.headers.get("content-type")?.startsWith("application/json")
      ? JSON.parse(text)
      : null;
    return {
      status: response.status,
      headers: response.headers,
      body: Fields.safeParse(json).data ?? {},
      list: z.array(Fields).safeParse(json).data ?? [],
      text,
    };
  };
}

/** Two repositories, four people and what they hold. */
export const SEED: Seed = {
  organizations: ["acme"],
  users: ["ann", "bob", "eve"],
  repositories: [
    {
      name: "acme/shop",
      collaborators: { ann: "admin", bob: "triage", relay: "write" },
      branches: ["feature/pay"],
      files: { "README.md": "# Shop\n", ".github/CODEOWNERS": "* @ann\n" },
      labels: ["bug"],
      issues: [{ title: "Pay twice", author: "ann", labels: ["bug"], comments: [{ author: "bob", body: "Me too" }] }],
    },
    { name: "acme/vault", private: true, collaborators: { ann: "admin" } },
  ],
  tokens: [
    { token: "t-relay", login: "relay" },
    { token: "t-ann", login: "ann" },
    { token: "t-eve", login: "eve" },
    { token: "t-poor", login: "relay", scopes: [] },
  ],
};
