import type { Check } from "../../app/doctor.ts";
import { loadConfig } from "../../config/config.ts";
import type { HostedName } from "../../domain/issue.ts";
import { environmentWith } from "../../lib/exec.ts";
import { checkText } from "../doctor/check.ts";
import { examine } from "../doctor/examine.ts";
import { notifyOnce } from "../doctor/notifications.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

export interface DoctorOptions extends CommonOptions {
  repo?: string;
  tracker?: HostedName;
  /** The target that is sent a test, and nothing else is done. */
  notify?: string;
}

/** What `relay doctor --json` prints. */
export interface DoctorAnswer {
  ok: boolean;
  checks: Check[];
}

/** `relay doctor`: checks everything Relay depends on, and explains how to fix problems. */
export async function doctor(options: DoctorOptions, terminal: Terminal): Promise<number> {
  const { json, repo: project, tracker, notify } = options;
  const env = environmentWith({});
  const config = () => loadConfig(options.config);
  const checks: Check[] = [];
  const report = (check: Check) => {
    checks.push(check);
    if (!json) terminal.out(checkText(check));
  };
  const wanted = { ...(tracker === undefined ? {} : { tracker }), ...(project === undefined ? {} : { project }) };
  if (notify === undefined) await examine({ config, env, wanted }, report);
  else await notifyOnce(notify, { config: config(), env }, report);
  const healthy = checks.every((one) => one.ok);
  if (json) printJson<DoctorAnswer>(terminal, { ok: healthy, checks });
  return healthy ? EXIT.done : EXIT.negative;
}
