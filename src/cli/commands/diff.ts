import { issueName } from "../../domain/issue.ts";
import { oneLine } from "../../lib/text.ts";
import { RelayError } from "../../lib/errors.ts";
import { type Change, compareSpecs, renderChanges } from "../../specification/compare.ts";
import { type SpecVersion, listSpecVersions } from "../../storage/specs.ts";
import { readSpecFile } from "../input-files.ts";
import { pickIssue } from "../issues.ts";
import { withRelay } from "../session.ts";
import { type CommonOptions, type Terminal, EXIT, printJson } from "../terminal.ts";

/** What `relay diff --json` prints: of two files, or of two versions of an issue's spec. */
export type DiffAnswer = { changes: Change[] } | { from: number; to: number; changes: Change[] };

type DiffOptions = CommonOptions & { from?: string; to?: string };

/**
 * `relay diff A B`: what changed between two files, part by part; `relay diff ISSUE [--from N] [--to M]`: between two
 * versions of an issue's spec, by default the last two. Exit code 1 when anything did (R-SPEC-12).
 */
export async function diff(
  first: string,
  second: string | undefined,
  options: DiffOptions,
  terminal: Terminal,
): Promise<number> {
  if (second === undefined) return await ofIssue(first, options, terminal);
  if (options.from !== undefined || options.to !== undefined) {
    throw new RelayError("usage", "--from and --to name versions of an issue's spec; give the issue instead of files");
  }
  const changes = compareSpecs(await readSpecFile(first), await readSpecFile(second));
  if (options.json) printJson<DiffAnswer>(terminal, { changes });
  else terminal.out(renderChanges(changes));
  return codeOf(changes);
}

async function ofIssue(wanted: string, options: DiffOptions, terminal: Terminal): Promise<number> {
  return await withRelay(options, terminal, async ({ db, specStore }) => {
    const issue = await pickIssue(db, wanted);
    const versions = await listSpecVersions(db, issue.id);
    const named = (number: string | undefined, option: string) =>
      number === undefined ? undefined : versionNumbered(number, option, versions);
    const to = named(options.to, "--to") ?? versions.at(-1);
    const from = named(options.from, "--from") ?? versions.findLast(({ version }) => version < (to?.version ?? 0));
    if (to === undefined || from === undefined) {
      const has = versions.length === 0 ? "no spec yet" : "one version of its spec";
      throw new RelayError("usage", `${issueName(issue)} has ${has}; there is nothing to compare it with`);
    }
    const changes = compareSpecs(await specStore.read(from.ref), await specStore.read(to.ref));
    const log = versions.filter(({ version }) => version > from.version && version <= to.version);
    if (options.json) {
      printJson<DiffAnswer>(terminal, { from: from.version, to: to.version, changes });
      return codeOf(changes);
    }
    terminal.out(`${issueName(issue)}  spec version ${from.version} -> ${to.version}\n`);
    for (const { version, createdAt, changelog } of log) {
      terminal.out(
        `    ${version}, ${createdAt.toISOString().slice(0, 10)}: ${oneLine(changelog) || "no reason given"}\n`,
      );
    }
    terminal.out(`\n${renderChanges(changes)}`);
    return codeOf(changes);
  });
}

function codeOf(changes: readonly Change[]): number {
  return changes.length === 0 ? EXIT.done : EXIT.negative;
}

function versionNumbered(number: string, option: string, versions: readonly SpecVersion[]): SpecVersion {
  const found = versions.find(({ version }) => String(version) === number);
  if (found !== undefined) return found;
  const known = versions.map(({ version }) => version).join(", ") || "none";
  throw new RelayError("usage", `${option} must be a version of the spec, not “${number}”; there are: ${known}`);
}
