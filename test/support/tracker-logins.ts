import { createEmulator } from "emulate";
import { onTestFinished } from "vitest";
import { githubConnection } from "../../src/adapters/trackers/github/connection.ts";
import { loginsOf } from "../../src/app/people/logins.ts";
import { configWithoutFile } from "../../src/config/config.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { connectRepository } from "../../src/storage/repositories.ts";
import { openDashboard } from "./dashboard.ts";
import { NO_LIMITS } from "./github-fixture.ts";
import { openLife } from "./relay.ts";

export const PUBLIC_URL = "https://relay.example";

/** A GitHub that other people wrote, in which Ann is in acme, Zoe has a blog, and Eve has nothing. */
async function startGithub(secret: string) {
  const redirects = [`${PUBLIC_URL}/login/github/callback`];
  const emulator = await createEmulator({
    service: "github",
    port: 0,
    seed: {
      github: {
        users: [{ login: "ann" }, { login: "zoe" }, { login: "eve" }, { login: "relay" }],
        orgs: [{ login: "acme", name: "Acme", members: [{ login: "ann" }, { login: "relay" }] }],
        repos: [
          { owner: "acme", name: "shop", private: true },
          { owner: "zoe", name: "blog" },
        ],
        oauth_apps: [{ client_id: "relay-id", client_secret: secret, name: "Relay", redirect_uris: redirects }],
      },
    },
  });
  onTestFinished(async () => await emulator.close());
  return emulator.url;
}

/** A Relay behind a TLS proxy, with the login by GitHub set up. */
export async function openLogins({ secret = "a client's secret", clock }: { secret?: string; clock?: Clock } = {}) {
  const life = await openLife();
  const github = await startGithub("a client's secret");
  const env = {
    GITHUB_API_URL: github,
    GITHUB_TOKEN: "ann",
    GITHUB_CLIENT_ID: "relay-id",
    GITHUB_CLIENT_SECRET: secret,
    RELAY_PUBLIC_URL: PUBLIC_URL,
  };
  const connection = githubConnection(
    { apiUrl: github, credentials: { kind: "token", token: "ann" }, botUsername: null, webhookUrl: null },
    { quotas: NO_LIMITS, clock: life.clock },
  );
  const trackerOf = async () => await connection.tracker();
  const place = { workspace: "default", provider: "github", baseUrl: github, botUsername: "relay" } as const;
  const projects = [
    ["acme/shop", true],
    ["zoe/blog", false],
  ] as const;
  const connected: Record<string, string> = {};
  for (const [externalProjectId, isPrivate] of projects) {
    const { id } = await connectRepository(
      life.db,
      { ...place, externalProjectId, isPrivate, cloneSource: null },
      life,
    );
    connected[externalProjectId] = id;
  }
  const given = { logins: loginsOf(configWithoutFile(env), env), trackerOf, publicUrl: PUBLIC_URL };
  const dashboard = await openDashboard({ ...life, ...(clock ? { clock } : {}) }, given);
  return { life, github, connected, ...dashboard, ...browserAt(dashboard.address, github) };
}

/** A browser that knows the server by its public name, with the cookies of both. */
export function browserAt(address: string, github: string) {
  const cookies = new Map<string, string>();
  const open = async (
    path: string,
    init: { method?: string; body?: URLSearchParams | string; headers?: Record<string, string> } = {},
  ) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...(cookie === "" ? {} : { cookie }), ...init.headers };
    const answer = await fetch(`${address}${path}`, { redirect: "manual", ...init, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const cut = pair.indexOf("=");
      if (/Max-Age=0/.test(set)) cookies.delete(pair.slice(0, cut));
      else cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
    }
    return answer;
  };
  /** Says yes at the tracker as this person; where it sends the browser back to, as a path of the server. */
  const consent = async (asked: string, login: string): Promise<string> => {
    const query = Object.fromEntries(new URL(asked).searchParams);
    const body = new URLSearchParams({ login, scope: "", ...query });
    const said = await fetch(`${github}/login/oauth/callback`, { method: "POST", body, redirect: "manual" });
    return (said.headers.get("location") ?? "").replace(PUBLIC_URL, "");
  };
  const logInAs = async (login: string, to = "/issues") => {
    const asked = await open(`/login/github?to=${encodeURIComponent(to)}`);
    return await open(await consent(asked.headers.get("location") ?? "", login));
  };
  return { cookies, open, consent, logInAs };
}
