import type { CodeOwnersFormat } from "../../domain/code-owners.ts";
import type { HostedName, Provider } from "../../domain/issue.ts";
import type { RequestWord } from "../../i18n/request-word.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Environment } from "../../lib/secret-variable.ts";
import type { ForgeConnection } from "./connection.ts";
import type { Quotas } from "./http/quota.ts";
import type { QuotaRules } from "./http/shared-quotas.ts";
import type { OAuthClient } from "./oauth.ts";
import type { Permission, Tracker } from "./tracker.ts";
import type { WebhookCall, WebhookReader } from "./webhook.ts";

/** What is known of a tracker without a request. */
export interface TrackerProvider {
  readonly name: Provider;
  /** Its name in texts: `GitHub`. */
  readonly title: string;
  /** What people write before the number of a pull request. */
  readonly requestSign: "#" | "!";
  /** How people there call it. */
  readonly requestWord: RequestWord;
  /** What the address of a comment adds to that of its issue, before the comment's id; null without such addresses. */
  readonly commentAnchor: string | null;
  /** What the address of a file adds to that of its project, before the commit; null without web pages. */
  readonly filesAt: string | null;
  /** What the address of lines of a file, from 1, adds to that of the file. */
  readonly linesAt: (path: string, start: number, end: number) => string;
  readonly codeOwners: CodeOwnersFormat;
  /** The least permission with which people read the code of a private project. */
  readonly codeReaders: Permission;
}

export interface ConnectDeps {
  clock: Clock;
  /** The public URL of Relay's webhooks; null if unknown. */
  webhookUrl: string | null;
  /** The limits shared by all processes with the same credentials. */
  readonly quotasFor: (rules: QuotaRules, writesPerMinute: number | "off") => Promise<Quotas>;
}

/**
 * A tracker behind a network, described in its folder's `provider.ts` and listed in `registry.ts`. Everything heavy is
 * imported by the functions that need it: most commands load the descriptions alone. `Config` is the part of Relay's
 * configuration that it reads.
 */
export interface HostedProvider<Config> extends TrackerProvider {
  readonly name: HostedName;
  /** Its page of the documentation. */
  readonly docs: string;
  /** Environment variables and the keys of `relay.yaml` that they override. */
  readonly variables: Readonly<Record<string, { path: string[]; kind: "text" | "budget" }>>;
  /** How many requests and writes its server allows. */
  readonly limits: QuotaRules;
  /** What Relay's account needs to push, as people there call it. */
  readonly pushNeeds: string;
  /** How to give Relay access: the end of a sentence, for people who have not done so. */
  readonly signIn: string;
  /** The client by which people log in to Relay; null if none is set. Throws `config` without its secret. */
  readonly oauth: (config: Config, env: Environment) => OAuthClient | null;
  /** The credentials that are set, described without their values; null if there are none. Throws `config`. */
  readonly credentials: (config: Config, env: Environment) => string | null;
  /** Null without credentials; throws `config` if they cannot be used. Sends no request yet. */
  readonly connect: (config: Config, env: Environment, deps: ConnectDeps) => Promise<ForgeConnection | null>;
  /** Reads what is sent to `/webhooks/NAME`. A signature by any of the secrets is valid; there is at least one. */
  readonly webhooks: (options: { secrets: readonly string[]; clock: Clock }) => Promise<WebhookReader>;
  /** How its CI passes a job the event that started it (docs/ci.md). */
  readonly ci: CiEvents;
  /**
   * The configuration within a job of the tracker's CI. Unless another server is set, it is the one that started the
   * job, so that the token is sent nowhere else. Absent if the job has this in the usual variable.
   */
  readonly inJob?: <C extends Config>(config: C, env: Environment) => C;
  /**
   * The issue or request that a path of its web pages leads to, without the server's own part; null for other pages.
   */
  readonly pageOf: (path: string) => TrackerPage | null;
  /** Reads what everybody may see, without credentials; null where that is not possible. */
  readonly publicReader: ((config: Config, deps: ConnectDeps) => Promise<PublicReader>) | null;
  /** Whether a project can have this name here. */
  readonly isProjectName: (name: string) => boolean;
  readonly setUp: SetUp<Config>;
}

/** Events by which jobs of a tracker's own CI begin. */
export interface CiEvents {
  /** The variable with the event's name; null where the event itself says it. */
  readonly nameIn: string | null;
  /** The variable with the project of the job. */
  readonly projectIn: string;
  /** Names of events without news: jobs started by a schedule, or by hand. */
  readonly scheduled: readonly string[];
  /** Whether an event of this name and with this content is the tracker's. */
  readonly isOwn: (name: string | null, event: Readonly<Record<string, unknown>>) => boolean;
  /** The webhook call that would have reported it; `id` is that of the delivery. */
  readonly callOf: (event: { name: string | null; id: string; body: Uint8Array }) => WebhookCall;
}

/** A page of a tracker about one issue or request. */
export interface TrackerPage {
  kind: "issue" | "request";
  project: string;
  number: string;
}

/** Issues and their discussions, to be read only. */
export type PublicReader = Pick<Tracker, "getIssue" | "listComments">;

/** What `relay init` asks, writes and prints. */
export interface SetUp<Config> {
  /** Shown beside its title when people choose. */
  readonly hint: string;
  /** URL of the public server's web pages: `https://github.com`. */
  readonly web: string;
  /** URL of the configured server's web pages. */
  readonly webOf: (config: Config) => string;
  /** Whether a host's name says that it is such a server. */
  readonly isHost: (hostname: string) => boolean;
  /** The part of `relay.yaml` that a self-hosted server needs. */
  readonly serverSettings: (web: string) => { comment: string; value: object };
  /** How to make a token: where, and with which rights. */
  readonly tokenStep: (web: string, secretsFile: string) => string;
  /** How to add the webhook to a project at `place`. */
  readonly webhookStep: (place: string, url: string) => string;
}
