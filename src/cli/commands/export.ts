import { stat } from "node:fs/promises";
import { issueName } from "../../domain/issue.ts";
import { RelayError } from "../../lib/errors.ts";
import { knownCapability, projectRoot, saveChange } from "../../specification/openspec/project.ts";
import { capabilityPath, writeChange } from "../../specification/openspec/write-change.ts";
import { readSpecFile } from "../input-files.ts";
import { pickIssue } from "../issues.ts";
import { withRelay } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

export interface ExportOptions extends CommonOptions {
  format: string;
  out: string;
  capability?: string;
  force?: boolean;
}

/** What `relay export --json` prints. */
export interface ExportAnswer {
  format: string;
  /** The name of the change. */
  change: string;
  path: string;
  outcome: "written" | "unchanged";
  /** `new`: the project has no such capability yet. */
  capabilities: { name: string; new: boolean }[];
  files: string[];
}

/**
 * `relay export SPEC --out DIR`: a spec, by its file or its issue, as a change of the OpenSpec project DIR (R-SPEC-14).
 */
export async function exportSpec(source: string, options: ExportOptions, terminal: Terminal): Promise<number> {
  const { capability } = options;
  const own = capability === undefined ? {} : { capability: capabilityPath(capability) };
  const text = await readSpec(source, options, terminal);
  const root = await projectRoot(options.out);
  const known = async (name: string, id: string) => await knownCapability(root, name, id);
  const change = await writeChange(text, { ...own, known });
  const { path, outcome } = await saveChange(root, change, { force: options.force ?? false, now: new Date() });
  if (options.json) {
    printJson<ExportAnswer>(terminal, {
      format: options.format,
      change: change.id,
      path,
      outcome,
      capabilities: change.capabilities.map(({ name, isNew }) => ({ name, new: isNew })),
      files: [...change.files.keys()],
    });
    return EXIT.done;
  }
  terminal.out(`${path}\n`);
  if (terminal.progress) terminal.err(`${outcome}. Check it in ${root}: openspec validate ${change.id} --strict\n`);
  return EXIT.done;
}

async function readSpec(source: string, options: ExportOptions, terminal: Terminal): Promise<string> {
  if (source === "-") return await terminal.readInput();
  const isFile = await stat(source).then(
    () => true,
    () => false,
  );
  if (isFile || !/^#?\d+$|#\d+$|^https?:\/\//.test(source)) return await readSpecFile(source);
  return await withRelay(options, terminal, async (relay) => {
    const issue = await pickIssue(relay.db, source);
    if (issue.spec !== null) return await relay.specStore.read(issue.spec);
    throw new RelayError("not_found", `${issueName(issue)} has no spec yet; \`relay status\` says what it waits for`);
  });
}
