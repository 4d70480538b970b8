import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { RelayError, messageOf } from "../../lib/errors.ts";
import type { Relay } from "../../app/create-app.ts";
import type { EvalCase } from "../eval/cases.ts";
import { readCases } from "../eval/cases.ts";
import { measureCase } from "../eval/measure.ts";
import { playCase } from "../eval/play.ts";
import { renderCase, renderSummary } from "../eval/report.ts";
import type { PlayedCase } from "../eval/summary.ts";
import { summarise } from "../eval/summary.ts";
import { printJson } from "../print-json.ts";
import { withRelay } from "../session.ts";
import type { CommonOptions, Terminal } from "../terminal.ts";
import { EXIT } from "../terminal.ts";

/**
 * `relay eval CASES --model M`: plays the cases of a set and prints the quality measures (R-OBS-4). It has a database
 * and a spec store of its own, gone when it ends; nothing of the user's is read or changed. Exit code 1 when a case
 * could not be played.
 */
export async function evaluate(
  file: string,
  options: CommonOptions & { model?: string },
  terminal: Terminal,
): Promise<number> {
  const cases = await readCases(file);
  const folder = await mkdtemp(join(tmpdir(), "relay-eval-"));
  // Run by root, the database is kept outside of its home.
  let database: string | null = null;
  let model = "";
  try {
    return await withRelay(
      options,
      terminal,
      async (relay) => {
        database = relay.databaseLocation;
        const played: PlayedCase[] = [];
        for (const [index, one] of cases.entries()) {
          if (terminal.progress) terminal.err(`${index + 1} of ${cases.length}: ${one.id} …\n`);
          const result = await play(relay, one, join(folder, "repositories"));
          played.push(result);
          if (!options.json) terminal.out(renderCase(result));
        }
        const summary = summarise(played);
        if (options.json) printJson(terminal, { model, summary, cases: played });
        else terminal.out(`\n${renderSummary(model, summary)}`);
        return summary.failed === 0 ? EXIT.done : EXIT.negative;
      },
      (config) => {
        const own = ownConfig(config, folder, options.model);
        model = own.model;
        return own;
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
    if (database !== null) await rm(database, { recursive: true, force: true });
  }
}

/** The user's settings on fresh stores; a model that is named is asked in every role. */
function ownConfig(config: Config, folder: string, model: string | undefined): Config {
  const { fallback, base_url, prices } = config.models;
  const shared = {
    ...(fallback === undefined ? {} : { fallback }),
    ...(base_url === undefined ? {} : { base_url }),
    ...(prices === undefined ? {} : { prices }),
  };
  const own = {
    ...config,
    home: join(folder, "home"),
    spec_root: join(folder, "specs"),
    ...(model === undefined ? {} : { model, models: shared }),
  };
  delete own.database_url;
  return own;
}

/** A case that cannot be played is told, and the others go on. */
async function play(relay: Relay, one: EvalCase, folder: string): Promise<PlayedCase> {
  try {
    const outcome = await playCase(relay, one, folder);
    return { id: one.id, kind: "measured", outcome, measures: measureCase(one, outcome) };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    return { id: one.id, kind: "failed", error: messageOf(error) };
  }
}
