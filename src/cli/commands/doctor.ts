import { loadConfig } from "../../config/config.ts";
import type { HostedName } from "../../domain/issue.ts";
import { environmentWith } from "../../lib/exec.ts";
import { checkText } from "../doctor/check.ts";
import { examine } from "../doctor/examine.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

export interface DoctorOptions extends CommonOptions {
  repo?: string;
  tracker?: HostedName;
}

/** `relay doctor`: checks everything Relay depends on, and explains how to fix problems. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { json, repo: project, tracker } = options;
  const wanted = { ...(tracker === undefined ? {} : { tracker }), ...(project === undefined ? {} : { project }) };
  const checks = await examine(
    { config: () => loadConfig(options.config), env: environmentWith({}), wanted },
    (check) => {
      if (!json) terminal.out(checkText(check));
    },
  );
  const healthy = checks.every((one) => one.ok);
  if (json) printJson(terminal, { ok: healthy, checks });
  return healthy ? EXIT.done : EXIT.negative;
}
