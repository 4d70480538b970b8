import type { z } from "zod";
import type { HostedName, Provider } from "../../domain/issue.ts";
import { github, githubSettings } from "./github/provider.ts";
import { gitlab, gitlabSettings } from "./gitlab/provider.ts";
import { local } from "./local/provider.ts";
import type { HostedProvider, TrackerProvider } from "./provider.ts";

/** The keys of `relay.yaml` that belong to one tracker each. */
export const TRACKER_SETTINGS = { github: githubSettings, gitlab: gitlabSettings } satisfies Record<
  HostedName,
  z.ZodType
>;

/** The part of Relay's configuration that trackers read. */
export type TrackerConfig = { [Name in HostedName]: z.infer<(typeof TRACKER_SETTINGS)[Name]> } & {
  bot: { username?: string | undefined };
};

/** All hosted trackers. A new one is a folder, its name in `domain/issue.ts`, and a line here and above. */
export const HOSTED: Readonly<Record<HostedName, HostedProvider<TrackerConfig>>> = { github, gitlab };

export const HOSTED_PROVIDERS: readonly HostedProvider<TrackerConfig>[] = Object.values(HOSTED);

export const TRACKERS: Readonly<Record<Provider, TrackerProvider>> = { local, ...HOSTED };
