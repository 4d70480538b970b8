import { z } from "zod";
import { NOTICE_EVENTS } from "../domain/notice.ts";
import { nearest } from "./yaml-text.ts";

const key = (description: string) => ({ description });

/** The name of an environment variable; that of a file with the same is `NAME_FILE`. */
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, {
  error: "must be the name of an environment variable; the secret itself does not belong into this file",
});

const event = z.enum(NOTICE_EVENTS, {
  error: ({ input }) => {
    const near = typeof input === "string" ? nearest(input, [...NOTICE_EVENTS]) : null;
    return `must be one of ${NOTICE_EVENTS.join(", ")}${near === null ? "" : `; did you mean “${near}”?`}`;
  },
});

const target = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,39}$/, { error: "must be a name of letters, digits, “-”, “_” and “.”" })
      .meta(key("Name of the target in logs, `relay status` and `relay doctor`.")),
    kind: z.enum(["webhook", "slack"]).meta(key("A signed JSON POST, or a message in Slack.")),
    url: z
      .url({ protocol: /^https?$/, error: "must be an address like https://hooks.example.org/relay" })
      .optional()
      .meta(key("Address of a webhook, if it is no secret.")),
    url_env: variable.optional().meta(key("Variable with the address; with `_FILE` behind its name, a file with it.")),
    secret_env: variable
      .optional()
      .meta(key("Variable with the secret that signs a webhook, `whsec_…`; two of them while it is replaced.")),
    events: z
      .array(event)
      .min(1)
      .default([...NOTICE_EVENTS])
      .meta(key("What it is told of; everything by default.")),
    repositories: z
      .array(z.string().min(1))
      .min(1)
      .default(["**"])
      .meta(key("Globs of the repositories that it is told of, such as `acme/*`.")),
    confidential: z
      .boolean()
      .default(false)
      .meta(key("Whether it is told of confidential issues, without their titles.")),
  })
  .superRefine((given, context) => {
    const wrong = problemOf(given);
    if (wrong !== null) context.addIssue({ code: "custom", path: [wrong.key], message: wrong.message });
  });

interface Addressed {
  kind: "webhook" | "slack";
  url?: string | undefined;
  url_env?: string | undefined;
  secret_env?: string | undefined;
}

/** What does not go together in a target; null where all does. */
function problemOf({ kind, url, url_env, secret_env }: Addressed): { key: string; message: string } | null {
  if (kind === "slack") {
    if (url !== undefined) {
      return { key: "url", message: "Slack's address is a secret; put it into a variable, and name that in url_env" };
    }
    if (secret_env !== undefined)
      return { key: "secret_env", message: "Slack's messages are not signed; leave it out" };
  } else if (secret_env === undefined) {
    return { key: "secret_env", message: "is missing: name the variable with the secret that signs this webhook" };
  }
  if (url === undefined && url_env === undefined) {
    return { key: "url_env", message: "is missing: name the variable with the address" };
  }
  if (url !== undefined && url_env !== undefined) return { key: "url", message: "is there twice; leave out url_env" };
  const parsed = url === undefined ? null : new URL(url);
  if (parsed !== null && parsed.username + parsed.password !== "") {
    return { key: "url", message: "holds a password; put the address into a variable, and name that in url_env" };
  }
  return null;
}

/** Who is told of what waits for people (docs/notifications.md): `notifications` in `relay.yaml`. */
export const notificationSettings = z
  .array(target)
  .max(50)
  .superRefine((targets, context) => {
    for (const [at, { name }] of targets.entries()) {
      const first = targets.findIndex((other) => other.name.toLowerCase() === name.toLowerCase());
      if (first === at) continue;
      context.addIssue({ code: "custom", path: [at, "name"], message: `“${name}” is there twice` });
    }
  })
  .default([])
  .meta(
    key(
      "Webhooks and Slack channels that are told when Relay waits for people, got stuck, or opened a request (RELAY_NOTIFICATIONS, as JSON).",
    ),
  );

export type NotificationSettings = z.infer<typeof target>;
