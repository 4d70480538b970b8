import { createHash, randomUUID } from "node:crypto";
import type { Answer } from "./answer.ts";
import type { State } from "./state.ts";

/** The application that logs people in, as its owner made it. */
export const APPLICATION = {
  id: "relay-application",
  secret: "the application's secret",
  redirectUri: "https://relay.example/login/gitlab/callback",
};

interface Code {
  username: string;
  challenge: string;
}

/** Codes that wait to be exchanged. */
export class OAuthServer {
  readonly codes = new Map<string, Code>();
}

interface Asked {
  method: string;
  url: URL;
  body: string;
  root: string;
}

/** `/oauth/authorize?…&as=LOGIN` says yes as this person; `/oauth/token` and `/oauth/revoke` are as GitLab has them. */
export function answerOAuth(state: State, { codes }: OAuthServer, { method, url, body, root }: Asked): Answer {
  const form = new URLSearchParams(body);
  const isClient = form.get("client_id") === APPLICATION.id && form.get("client_secret") === APPLICATION.secret;
  switch (`${method} ${url.pathname.slice(root.length)}`) {
    case "GET /oauth/authorize": {
      const { client_id, redirect_uri, response_type, code_challenge_method, code_challenge, scope, as } =
        Object.fromEntries(url.searchParams);
      const isFit = response_type === "code" && code_challenge_method === "S256" && scope === "read_user";
      if (client_id !== APPLICATION.id || redirect_uri !== APPLICATION.redirectUri || !isFit) return BAD;
      const code = randomUUID();
      codes.set(code, { username: as ?? "", challenge: code_challenge ?? "" });
      const back = new URL(APPLICATION.redirectUri);
      back.search = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "" }).toString();
      return { status: 302, headers: { location: back.href } };
    }
    case "POST /oauth/token": {
      if (!isClient) return { status: 401, json: { error: "invalid_client", error_description: "Unknown client." } };
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const verifier = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const user = state.users.find(({ username }) => username === code?.username);
      const isGood = verifier === code?.challenge && form.get("redirect_uri") === APPLICATION.redirectUri;
      if (user === undefined || !isGood) return { status: 400, json: { error: "invalid_grant" } };
      const token = randomUUID();
      state.tokens.set(token, { user, scopes: ["read_user"] });
      return { status: 200, json: { access_token: token, token_type: "Bearer", expires_in: 7200, scope: "read_user" } };
    }
    case "POST /oauth/revoke":
      if (!isClient) return { status: 403, json: { error: "unauthorized_client" } };
      state.tokens.delete(form.get("token") ?? "");
      return { status: 200, json: {} };
    default:
      return { status: 404, json: { error: "404 Not Found" } };
  }
}

const BAD: Answer = { status: 400, json: { error: "invalid_request" } };
