import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Explorer, type OpenIndex } from "../../src/code/index/explorer.ts";
import { openRepository } from "../../src/code/git/repository.ts";

export interface PlannedFile {
  path: string;
  content: string | Buffer;
  /** `100644` by default; `120000` makes a link, `160000` a submodule of the commit in `content`. */
  mode?: string;
}

export interface PlannedCommit {
  author?: string;
  /** ISO 8601. */
  at?: string;
  subject?: string;
  files: readonly PlannedFile[];
}

export interface IndexedRepository {
  directory: string;
  index: OpenIndex;
  remove(): Promise<void>;
}

/** A bare repository made of these commits by `git fast-import`, which takes any path and size, with an index over it. */
export async function indexedRepository(commits: readonly PlannedCommit[]): Promise<IndexedRepository> {
  const directory = mkdtempSync(join(tmpdir(), "relay-tools-"));
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", directory]);
  execFileSync("git", ["fast-import", "--quiet"], { cwd: directory, input: Buffer.concat(commits.flatMap(streamOf)) });
  const repository = await openRepository(directory);
  const explorer = await Explorer.open(repository.gitDirectory, null);
  const index = await explorer.at(repository);
  return {
    directory,
    index,
    async remove() {
      explorer.close();
      await repository.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function streamOf(commit: PlannedCommit): Buffer[] {
  const seconds = Date.parse(commit.at ?? "2026-01-01T00:00:00Z") / 1_000;
  const name = commit.author ?? "Ann";
  const subject = Buffer.from(commit.subject ?? "Change");
  return [
    Buffer.from(`commit refs/heads/main\ncommitter ${name} <${name}@example.org> ${seconds} +0000\n`),
    Buffer.from(`data ${subject.length}\n`),
    subject,
    Buffer.from("\n"),
    ...commit.files.flatMap(({ path, content, mode = "100644" }) => {
      const quoted = `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
      if (mode === "160000") return [Buffer.from(`M 160000 ${content.toString()} ${quoted}\n`)];
      const bytes = Buffer.from(content);
      return [Buffer.from(`M ${mode} inline ${quoted}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n")];
    }),
    Buffer.from("\n"),
  ];
}
