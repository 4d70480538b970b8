import { parseDocument, stringify } from "yaml";
import { HOSTED } from "../../adapters/trackers/registry.ts";
import type { Choices } from "./choices.ts";

const HEAD = `# Relay's settings, where they differ from its defaults; its README lists all of them.
# Secrets do not belong here: tokens and webhook secrets come from the environment.
`;

/** The text of `relay.yaml` for these choices. */
export function settingsText(choices: Choices): string {
  const { tracker, web, project, publicUrl, mode, model, agent, bot } = choices;
  const setUp = tracker === null ? null : HOSTED[tracker].setUp;
  const server = setUp === null || web === setUp.web ? null : setUp.serverSettings(web);
  const parts = [
    project === null
      ? null
      : part("Repositories that Relay works in, as globs. Default: all in which someone mentions or assigns it.", {
          repositories: [project],
        }),
    publicUrl === null ? null : part("Where the tracker reaches `relay serve`.", { server: { public_url: publicUrl } }),
    server === null ? null : part(server.comment, server.value),
    bot === null
      ? null
      : part("A name by which people assign and mention Relay, besides the one of its account.", {
          bot: { username: bot },
        }),
    mode === "plan" ? null : part("How far Relay goes: spec, plan or implement.", { mode }),
    agent === null
      ? null
      : part("The coding agent that carries plans out, in a sandbox; its key comes from the environment.", {
          work: { agent },
        }),
    model === "offline" ? null : part("Who plans and writes. The key comes from the environment.", { model }),
  ];
  return [HEAD, ...parts.filter((one) => one !== null)].join("\n");
}

function part(comment: string, value: unknown): string {
  return `# ${comment}\n${stringify(value, { lineWidth: 0 })}`;
}

/** The same file with some settings set, by their paths; all else, comments too, stays as it was. */
export function withSettings(text: string, settings: ReadonlyMap<readonly string[], unknown>): string {
  const document = parseDocument(text);
  for (const [path, value] of settings) document.setIn(path, value);
  return document.toString({ lineWidth: 0 });
}
