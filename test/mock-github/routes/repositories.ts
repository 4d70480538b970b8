import { createHash } from "node:crypto";
import { type Answer, empty, notFound, ok, refuse } from "../http/answer.ts";
import { type Call, type Routes, param } from "../http/call.ts";
import { pageOf } from "../http/paging.ts";
import { READ, read, repositoryOf } from "../http/rights.ts";
import { showUser } from "../present/account.ts";
import { showCommit } from "../present/commit.ts";
import { nodeId } from "../present/ids.ts";
import { pageUrl, repositoryUrl, showFullRepository, showPermissions } from "../present/repository.ts";
import type { Repository, Role } from "../world/entities.ts";
import { roleAtLeast } from "../world/world.ts";

const READ_CODE = read("contents");

/** Who works with whom is for those who may push. */
function asMember(call: Call, what: string): Repository {
  const repository = repositoryOf(call, READ);
  const { actor } = call;
  const may =
    actor.kind === "installation" ||
    (actor.kind === "user" && roleAtLeast(call.world.roleOf(repository, actor.login), "write"));
  if (!may) throw refuse(403, `Must have push access to view ${what}.`);
  return repository;
}

/** What a role is called where the words are older than triage and maintain. */
const OLD_NAMES: Record<Role, string> = {
  none: "none",
  read: "read",
  triage: "read",
  write: "write",
  maintain: "write",
  admin: "admin",
};

export const repositoryRoutes: Routes = {
  "repos/get": (call) => {
    const repository = repositoryOf(call);
    const role = call.actor.kind === "user" ? call.world.roleOf(repository, call.actor.login) : "read";
    return ok(showFullRepository(call.world, repository, role));
  },

  "repos/list-branches": (call) => {
    const repository = repositoryOf(call, READ_CODE);
    const url = repositoryUrl(call.world, repository);
    return pageOf(call, [...repository.branches], ([name, sha]) => ({
      name,
      commit: { sha, url: `${url}/commits/${sha}` },
      protected: false,
    }));
  },

  "repos/get-branch": (call) => {
    const repository = repositoryOf(call, READ_CODE);
    const name = param(call, "branch");
    const sha = repository.branches.get(name);
    if (sha === undefined) throw refuse(404, "Branch not found");
    const url = `${repositoryUrl(call.world, repository)}/branches/${encodeURIComponent(name)}`;
    return ok({
      name,
      commit: showCommit(call.world, repository, sha),
      _links: { self: url, html: `${pageUrl(call.world, repository)}/tree/${name}` },
      protected: false,
      protection: { enabled: false, required_status_checks: { enforcement_level: "off", contexts: [], checks: [] } },
      protection_url: `${url}/protection`,
    });
  },

  "git/get-ref": (call) => {
    const repository = repositoryOf(call, READ_CODE);
    const ref = param(call, "ref");
    const sha = ref.startsWith("heads/") ? repository.branches.get(ref.slice("heads/".length)) : undefined;
    if (sha === undefined) throw notFound();
    const url = `${repositoryUrl(call.world, repository)}/git`;
    return ok({
      ref: `refs/${ref}`,
      node_id: nodeId("ref", ref),
      url: `${url}/refs/${ref}`,
      object: { sha, type: "commit", url: `${url}/commits/${sha}` },
    });
  },

  "repos/get-content": (call) => {
    const repository = repositoryOf(call, READ_CODE);
    const ref = call.query.get("ref") ?? repository.defaultBranch;
    const sha = [...repository.branches.values()].includes(ref);
    if (!repository.branches.has(ref) && !sha) throw refuse(404, `No commit found for the ref ${ref}`);
    // Branches have the files of the default one until somebody gives them others.
    const files =
      repository.files.get(ref) ?? repository.files.get(repository.defaultBranch) ?? new Map<string, string>();
    const path = param(call, "path").replace(/\/$/, "");
    const content = files.get(path);
    if (content !== undefined) return fileOf(call, repository, { path, ref, content });
    const below = [...files.keys()]
      .filter((each) => each.startsWith(`${path}/`))
      .map((each) => each.slice(path.length + 1));
    if (below.length === 0) throw notFound();
    const names = [...new Set(below.map((each) => each.split("/")[0] ?? each))];
    return ok(
      names.map((name) => {
        const at = `${path}/${name}`;
        const text = files.get(at);
        return showEntry(call, repository, { path: at, ref, content: text ?? null });
      }),
    );
  },

  "repos/list-collaborators": (call) => {
    const repository = asMember(call, "repository collaborators");
    return pageOf(call, [...repository.collaborators], ([login, role]) => ({
      ...showUser(call.world, login),
      permissions: showPermissions(role),
      role_name: role,
    }));
  },

  "repos/check-collaborator": (call) => {
    const repository = asMember(call, "repository collaborators");
    if (!call.world.isCollaborator(repository, param(call, "username"))) throw notFound();
    return empty;
  },

  /** A stranger has `read` on a public repository and `none` on a private one; who is no user is not found. */
  "repos/get-collaborator-permission-level": (call) => {
    const repository = asMember(call, "collaborator permission");
    const login = param(call, "username");
    const account = call.world.accounts.get(login.toLowerCase());
    if (account === undefined) throw refuse(404, `${login} is not a user`);
    const role = call.world.roleOf(repository, account.login);
    const user = { ...showUser(call.world, account.login), permissions: showPermissions(role), role_name: role };
    return ok({ permission: OLD_NAMES[role], user, role_name: role });
  },
};

interface Entry {
  path: string;
  ref: string;
  /** Null for a folder. */
  content: string | null;
}

function fileOf(call: Call, repository: Repository, entry: Entry & { content: string }): Answer {
  if (/\braw\b/.test(call.accept)) {
    return { status: 200, raw: { text: entry.content, contentType: "application/vnd.github.raw+json; charset=utf-8" } };
  }
  // GitHub breaks base64 into lines.
  const content = Buffer.from(entry.content).toString("base64").replaceAll(/.{60}/g, "$&\n");
  return ok({ ...showEntry(call, repository, entry), type: "file", content: `${content}\n`, encoding: "base64" });
}

function showEntry(call: Call, repository: Repository, { path, ref, content }: Entry) {
  const bytes = Buffer.from(content ?? "");
  const sha = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  const kind = content === null ? "dir" : "file";
  const url = `${repositoryUrl(call.world, repository)}/contents/${path}?ref=${ref}`;
  const html = `${pageUrl(call.world, repository)}/${content === null ? "tree" : "blob"}/${ref}/${path}`;
  const git = `${repositoryUrl(call.world, repository)}/git/${content === null ? "trees" : "blobs"}/${sha}`;
  return {
    name: path.split("/").at(-1) ?? path,
    path,
    sha,
    size: bytes.length,
    url,
    html_url: html,
    git_url: git,
    download_url: content === null ? null : `${html}?raw=1`,
    type: kind,
    _links: { self: url, git, html },
  };
}
