import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import type { Issue } from "../domain/issue.ts";
import { RelayError, messageOf } from "../lib/errors.ts";
import type { Relay } from "../app/create-app.ts";

/** `--out DIR`: the spec once more, as a whole file or not at all. Returns its path; null without a spec. */
export async function copySpec(relay: Relay, issue: Issue, folder: string): Promise<string | null> {
  if (issue.spec === null) return null;
  const name = issue.spec.path.split("/").at(-2) ?? `issue_${issue.id}`;
  const target = join(folder, `${name}.md`);
  try {
    await mkdir(folder, { recursive: true });
    await writeFileAtomic(target, await relay.specStore.read(issue.spec), { mode: 0o644 });
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError("io", `cannot write the spec to ${target}: ${messageOf(cause)}`, { cause });
  }
  return target;
}
