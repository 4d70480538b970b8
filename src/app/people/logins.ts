import type { OAuthClient } from "../../adapters/trackers/oauth.ts";
import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import type { Config } from "../../config/config.ts";
import { environment } from "../../config/environment.ts";
import type { HostedName } from "../../domain/issue.ts";
import { RelayError } from "../../lib/errors.ts";
import type { Environment } from "../../lib/secret-variable.ts";

/** A tracker whose accounts people log in with. */
export interface TrackerLogin {
  provider: HostedName;
  /** `GitHub`. */
  title: string;
  client: OAuthClient;
  /** The callback URL, which has to be set at the tracker. */
  redirectUri: string;
}

/** The trackers whose accounts people log in with (R-SAFE-4). Throws `config` for settings that cannot work. */
export function loginsOf(config: Config, env?: Environment): TrackerLogin[] {
  return HOSTED_PROVIDERS.flatMap(({ name, title, oauth, credentials, signIn }) => {
    const client = oauth(config, environment(env));
    if (client === null) return [];
    const { public_url: publicUrl } = config.server;
    if (publicUrl === undefined) {
      throw new RelayError(
        "config",
        `${name}.client_id is set, but not the address to which ${title} sends people back; set server.public_url`,
      );
    }
    if (credentials(config, environment(env)) === null) {
      throw new RelayError(
        "config",
        `${name}.client_id is set, but Relay cannot ask ${title} what people may do there; ${signIn}`,
      );
    }
    return [{ provider: name, title, client, redirectUri: callbackOf(publicUrl, name) }];
  });
}

function callbackOf(publicUrl: string, provider: HostedName): string {
  return `${publicUrl.replace(/\/+$/, "")}/login/${provider}/callback`;
}
