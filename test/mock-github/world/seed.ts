import { generateKeyPairSync } from "node:crypto";
import { z } from "zod";
import { newItem } from "../effects/issues.ts";
import type { App, Installation, Repository } from "./entities.ts";
import type { World } from "./world.ts";

const RoleName = z.enum(["read", "triage", "write", "maintain", "admin"]);
const Permissions = z.record(z.string(), z.enum(["read", "write", "admin"]));
const HookSeed = z.object({
  url: z.string(),
  secret: z.string().default(""),
  events: z.array(z.string()).default(["*"]),
  active: z.boolean().default(true),
});
const IssueSeed = z.object({
  number: z.number().optional(),
  title: z.string(),
  body: z.string().nullable().default(null),
  author: z.string(),
  labels: z.array(z.string()).default([]),
  assignees: z.array(z.string()).default([]),
  state: z.enum(["open", "closed"]).default("open"),
  comments: z.array(z.object({ author: z.string(), body: z.string() })).default([]),
});
const RepositorySeed = z.object({
  /** `owner/name`. */
  name: z.string(),
  private: z.boolean().default(false),
  archived: z.boolean().default(false),
  defaultBranch: z.string().default("main"),
  cloneUrl: z.string().nullable().default(null),
  /** Besides the default one; with their commits where a real repository has them. */
  branches: z.union([z.array(z.string()), z.record(z.string(), z.string())]).default([]),
  /** On the default branch: path to content. */
  files: z.record(z.string(), z.string()).default({}),
  collaborators: z.record(z.string(), RoleName).default({}),
  labels: z.array(z.string()).default([]),
  issues: z.array(IssueSeed).default([]),
  hooks: z.array(HookSeed).default([]),
});
const AppSeed = z.object({
  id: z.number().optional(),
  slug: z.string(),
  owner: z.string(),
  /** PEM; absent, it is that of a pair that all such Apps share, and the private half is in the outcome. */
  publicKey: z.string().optional(),
  permissions: Permissions.default({ issues: "write", pull_requests: "write", contents: "read" }),
  events: z
    .array(z.string())
    .default([
      "issues",
      "issue_comment",
      "pull_request",
      "pull_request_review",
      "pull_request_review_comment",
      "check_suite",
      "status",
    ]),
  hook: HookSeed.optional(),
  installations: z
    .array(
      z.object({
        account: z.string(),
        repositories: z.union([z.literal("all"), z.array(z.string())]).default("all"),
        permissions: Permissions.optional(),
      }),
    )
    .default([]),
});

/** What there is at the start. */
export const Seed = z.object({
  organizations: z.array(z.string()).default([]),
  users: z.array(z.string()).default([]),
  repositories: z.array(RepositorySeed).default([]),
  apps: z.array(AppSeed).default([]),
  tokens: z
    .array(
      z.object({
        token: z.string(),
        login: z.string(),
        /** Of a classic token. */
        scopes: z.array(z.string()).default(["repo"]),
        /** Of a fine-grained one, which has no scopes. */
        permissions: Permissions.nullable().default(null),
      }),
    )
    .default([]),
});
export type Seed = z.input<typeof Seed>;

export interface Planted {
  apps: { id: number; clientId: string; privateKey: string | null; installations: number[] }[];
}

/** Adds to the world, without a word to any hook. */
export function plant(world: World, input: Seed): Planted {
  const seed = Seed.parse(input);
  for (const login of seed.organizations) Object.assign(world.account(login), { type: "Organization" });
  for (const login of seed.users) world.account(login);
  for (const each of seed.repositories) plantRepository(world, each);
  for (const { token, login, scopes, permissions } of seed.tokens) {
    world.tokens.set(token, { kind: "user", login: world.account(login).login, scopes, permissions });
  }
  return { apps: seed.apps.map((each) => plantApp(world, each)) };
}

function plantRepository(world: World, seed: z.output<typeof RepositorySeed>): void {
  const [owner = "", name = ""] = seed.name.split("/");
  const now = world.now();
  const branches = Array.isArray(seed.branches)
    ? seed.branches.map((branch): [string, string] => [branch, world.newSha()])
    : Object.entries(seed.branches);
  const repository: Repository = {
    id: world.nextId(),
    owner: world.account(owner).login,
    name,
    formerNames: [],
    private: seed.private,
    archived: seed.archived,
    hasIssues: true,
    defaultBranch: seed.defaultBranch,
    cloneUrl: seed.cloneUrl,
    branches: new Map([[seed.defaultBranch, world.newSha()], ...branches]),
    files: new Map([[seed.defaultBranch, new Map(Object.entries(seed.files))]]),
    collaborators: new Map(Object.entries(seed.collaborators)),
    labels: seed.labels.map((label) => ({ id: world.nextId(), name: label, color: "ededed", description: null })),
    items: new Map(),
    lastNumber: 0,
    hooks: seed.hooks.map((hook) => ({ ...hook, id: world.nextId(), createdAt: now })),
    checkRuns: [],
    statuses: [],
    suites: new Map(),
    createdAt: now,
    updatedAt: now,
  };
  for (const login of repository.collaborators.keys()) world.account(login);
  world.repositories.set(repository.id, repository);
  for (const each of seed.issues) plantIssue(world, repository, each);
}

function plantIssue(world: World, repository: Repository, seed: z.output<typeof IssueSeed>): void {
  if (seed.number !== undefined) repository.lastNumber = seed.number - 1;
  const item = newItem(
    world,
    repository,
    { login: world.account(seed.author).login, appId: null },
    seed.title,
    seed.body,
  );
  for (const label of seed.labels.filter((each) => !repository.labels.some(({ name }) => name === each))) {
    repository.labels.push({ id: world.nextId(), name: label, color: "ededed", description: null });
  }
  const now = world.now();
  const closed = seed.state === "closed";
  Object.assign(item, {
    labels: seed.labels,
    assignees: seed.assignees,
    state: seed.state,
    closedAt: closed ? now : null,
  });
  for (const { author, body } of seed.comments) {
    const { login } = world.account(author);
    const made = {
      id: world.nextId(),
      author: login,
      appId: null,
      body,
      createdAt: now,
      updatedAt: now,
      reactions: [],
    };
    item.comments.push(made);
  }
}

function plantApp(world: World, seed: z.output<typeof AppSeed>): Planted["apps"][number] {
  const now = world.now();
  const pair = seed.publicKey === undefined ? sharedKeys() : { publicKey: seed.publicKey, privateKey: null };
  const id = seed.id ?? world.nextId();
  const app: App = {
    id,
    slug: seed.slug,
    name: seed.slug,
    owner: world.account(seed.owner).login,
    clientId: `Iv1.${id}`,
    publicKey: pair.publicKey,
    permissions: seed.permissions,
    events: seed.events,
    hook: seed.hook ? { ...seed.hook, events: seed.events, id: world.nextId(), createdAt: now } : null,
    createdAt: now,
  };
  world.apps.set(app.id, app);
  world.account(world.botOf(app));
  const installations = seed.installations.map((each) => {
    const installation: Installation = {
      id: world.nextId(),
      appId: app.id,
      account: world.account(each.account).login,
      repositories: each.repositories,
      permissions: each.permissions ?? seed.permissions,
      suspendedAt: null,
      createdAt: now,
    };
    world.installations.set(installation.id, installation);
    return installation.id;
  });
  return { id: app.id, clientId: app.clientId, privateKey: pair.privateKey, installations };
}

let shared: ReturnType<typeof newKeys> | null = null;

/** Made once: it takes a good part of a second on a busy machine, and tests begin many worlds. */
function sharedKeys(): ReturnType<typeof newKeys> {
  shared ??= newKeys();
  return shared;
}

export function newKeys(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
}
