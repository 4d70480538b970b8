import examples from "@octokit/webhooks-examples" with { type: "json" };
import { z } from "zod";

export interface GithubPayload {
  name: string;
  action: string | null;
  payload: Record<string, unknown>;
}

const shape = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));

/** The payloads of GitHub's webhooks that the community has collected: 58 events, 329 payloads. */
export const githubPayloads: GithubPayload[] = shape.parse(examples).flatMap((event) =>
  event.examples.map((payload) => ({
    name: event.name,
    action: typeof payload["action"] === "string" ? payload["action"] : null,
    payload,
  })),
);

export function githubPayload(name: string, action: string | null): Record<string, unknown> {
  const found = githubPayloads.find((one) => one.name === name && one.action === action);
  if (found === undefined) throw new Error(`there is no payload ${name}.${action}`);
  return structuredClone(found.payload);
}
