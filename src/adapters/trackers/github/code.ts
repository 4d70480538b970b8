import { unlessMissing } from "../missing.ts";
import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { read } from "./api-schemas.ts";
import { type RepositoryCall, getRepository } from "./repository.ts";

const LARGEST_FILE = 1_048_576;
/** Room for the same in base64 with line ends, plus the other fields. */
const LARGEST_ANSWER = 1_600_000;
/** A media type that marks folders as such and gives every file in base64. */
const AS_OBJECT = "application/vnd.github.object+json";

const entry = z.object({
  type: z.string(),
  size: z.number().optional(),
  encoding: z.string().optional(),
  content: z.string().optional(),
});

/** Whether a branch has exactly this name; a renamed branch counts under its new name only. */
export async function branchExists(call: RepositoryCall, project: string, branch: string): Promise<boolean> {
  const answer = isPath(branch)
    ? await unlessMissing(call(project, { method: "GET", path: `/branches/${encodeURIComponent(branch)}` }))
    : null;
  if (answer !== null) return read(z.object({ name: z.string() }), answer.body, `branch ${branch}`).name === branch;
  await getRepository(call, project);
  return false;
}

/** @throws RelayError `too_large`: over 1 MiB */
export async function readFile(call: RepositoryCall, project: string, path: string): Promise<string | null> {
  const answer = isPath(path) ? await unlessMissing(contents(call, project, path)) : null;
  if (answer === null) {
    await getRepository(call, project);
    return null;
  }
  const found = read(z.union([entry, z.array(z.unknown())]), answer.body, `${path} in ${project}`);
  if (Array.isArray(found) || found.type !== "file") return null;
  if ((found.size ?? 0) > LARGEST_FILE || found.encoding !== "base64") throw tooLarge(project, path);
  return Buffer.from(found.content ?? "", "base64").toString();
}

async function contents(call: RepositoryCall, project: string, path: string) {
  try {
    return await call(project, {
      method: "GET",
      path: `/contents/${encodeURIComponent(path)}`,
      headers: { accept: AS_OBJECT },
      maxBytes: LARGEST_ANSWER,
    });
  } catch (cause) {
    if (cause instanceof RelayError && cause.code === "too_large") throw tooLarge(project, path, cause);
    throw cause;
  }
}

/** Names that git allows; `..` and the like would change the URL's target. */
function isPath(path: string): boolean {
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function tooLarge(project: string, path: string, cause?: unknown): RelayError {
  return new RelayError("too_large", `${path} in ${project} is larger than 1 MiB; Relay does not read it`, { cause });
}
