import { z } from "zod";
import type { TrackerResponse } from "../http/http.ts";
import { read } from "./api-schemas.ts";
import { leadsTo } from "../webhook.ts";

const config = z.object({
  url: z.string().optional(),
  content_type: z.string().optional(),
  insecure_ssl: z.union([z.string(), z.number()]).optional(),
  secret: z.string().optional(),
});
const hook = z.object({
  id: z.number(),
  active: z.boolean(),
  events: z.array(z.string()),
  config,
  last_response: z.object({ code: z.number().nullish(), message: z.string().nullish() }).nullish(),
});

export type HookConfig = z.infer<typeof config>;
export type Hook = z.infer<typeof hook>;

export function readHookConfig({ body }: TrackerResponse): HookConfig {
  return read(config, body, "the webhook of the App");
}

/** The repository's webhook with this URL, if there is one. */
export function hookTo(url: string, { body }: TrackerResponse): Hook | null {
  const found = read(z.array(hook), body, "the webhooks of a repository");
  return found.find((one) => one.config.url !== undefined && leadsTo(one.config.url, url)) ?? null;
}
