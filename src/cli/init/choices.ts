import type { Config } from "../../config/config.ts";
import { modelName } from "../../config/schema.ts";
import type { HostedName, Mode } from "../../domain/issue.ts";
import { HOSTED_PROVIDERS } from "../../adapters/trackers/registry.ts";
import { RelayError } from "../../lib/errors.ts";
import type { PresetName } from "../../adapters/agents/registry.ts";
import { type TrackerPlace, placeOfAddress } from "./tracker-place.ts";

/** The set-up's flags on the command line. */
export interface InitFlags {
  tracker?: HostedName | "none";
  /** Of the tracker, or of a repository there. */
  url?: string;
  repo?: string;
  publicUrl?: string;
  mode?: Mode;
  bot?: string;
  model?: string;
  agent?: PresetName | "none";
  yes?: boolean;
}

/** The values for `relay.yaml`; null leaves Relay's default. */
export interface Choices {
  tracker: HostedName | null;
  /** The tracker's web address. */
  web: string;
  /** The only repository that Relay works in; null for all that call it. */
  project: string | null;
  publicUrl: string | null;
  mode: Config["mode"];
  model: string;
  /** The agent that executes plans. */
  agent: PresetName | null;
  bot: string | null;
}

/** Asks for missing values. Each question has a default, taken without an answer. */
export interface Interview {
  tracker(likely: HostedName | "none"): Promise<HostedName | "none">;
  web(tracker: HostedName, likely: string): Promise<string>;
  project(likely: string | null): Promise<string | null>;
  publicUrl(): Promise<string | null>;
  model(likely: string): Promise<string>;
  /** Which coding agent carries plans out; proposed are those that are installed. */
  agent(installed: readonly PresetName[]): Promise<PresetName | null>;
}

interface Around {
  /** The web address of the configured tracker. */
  usualWeb: (tracker: HostedName) => string;
  interview: Interview | null;
  installed: readonly PresetName[];
}

/**
 * Flags first, then what was found in this repository, then answers; without an interview, the defaults. Throws `usage`
 * for conflicting flags.
 */
export async function choose(
  flags: InitFlags,
  found: TrackerPlace | null,
  { usualWeb, interview, installed }: Around,
): Promise<Choices> {
  checkFlags(flags);
  const named = flags.tracker === "none" ? null : (flags.tracker ?? null);
  const fromFlag = flags.url === undefined ? null : placeOfAddress(flags.url, named);
  const likely = fromFlag ?? found;
  const tracker = flags.tracker ?? fromFlag?.tracker ?? (await interview?.tracker(likely?.tracker ?? "none"));
  const chosen = tracker ?? likely?.tracker ?? null;
  const rest = async () => {
    const model = flags.model ?? (await interview?.model("offline")) ?? "offline";
    const agent = await chooseAgent(flags, { interview, installed });
    const mode = flags.mode ?? (agent === null ? ("plan" as const) : ("implement" as const));
    return { model, agent, mode, bot: flags.bot ?? null };
  };
  if (chosen === null || chosen === "none") {
    const titles = HOSTED_PROVIDERS.map(({ title }) => title).join(" or ");
    if (fromFlag !== null)
      throw new RelayError("usage", `--url ${fromFlag.web} could be ${titles}; say which with --tracker`);
    return { ...(await rest()), tracker: null, web: "", project: null, publicUrl: publicUrlIn(flags) };
  }
  const here = found !== null && (found.tracker ?? chosen) === chosen ? found : null;
  const usual = here?.web ?? usualWeb(chosen);
  const web = fromFlag?.web ?? (await interview?.web(chosen, usual)) ?? usual;
  const near = fromFlag?.project ?? (here?.web === web ? here.project : null);
  const project = flags.repo ?? (interview === null ? near : await interview.project(near));
  const publicUrl = publicUrlIn(flags) ?? (await interview?.publicUrl()) ?? null;
  return { tracker: chosen, web, project, publicUrl, ...(await rest()) };
}

/** Asked only if plans may be executed; naming an agent implies that. */
async function chooseAgent(
  { agent, mode }: InitFlags,
  { interview, installed }: Pick<Around, "interview" | "installed">,
): Promise<PresetName | null> {
  if (agent !== undefined) return agent === "none" ? null : agent;
  if (mode !== undefined && mode !== "implement") return null;
  if (interview !== null) return await interview.agent(installed);
  return mode === "implement" ? (installed[0] ?? null) : null;
}

function checkFlags({ tracker, url, repo, model }: InitFlags): void {
  if (tracker === "none" && (url ?? repo) !== undefined) {
    throw new RelayError("usage", "--tracker none has no --url and no --repo");
  }
  if (repo !== undefined && !/^[\w.*-]+(?:\/[\w.*-]+)+$/.test(repo)) {
    throw new RelayError("usage", `--repo must be like owner/name, not “${repo}”`);
  }
  if (model !== undefined && !modelName.safeParse(model).success) {
    throw new RelayError("usage", `there is no model “${model}”; give offline, or provider/name (docs/models.md)`);
  }
}

/** The public address from the flag, without a trailing slash. Throws `usage`. */
export function publicUrlIn({ publicUrl }: InitFlags): string | null {
  if (publicUrl === undefined) return null;
  const url = URL.parse(publicUrl);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "") {
    return url.href.replace(/\/+$/, "");
  }
  throw new RelayError("usage", `--public-url must be like https://relay.example.org, not “${publicUrl}”`);
}
