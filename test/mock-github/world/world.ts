import { createHash, randomUUID } from "node:crypto";
import type { z } from "zod";
import type { Clock } from "../../../src/lib/clock.ts";
import { Lags, type Reading } from "../../support/lag.ts";
import { Courier } from "../hooks/courier.ts";
import { RateLimits } from "../http/rate-limit.ts";
import type { Fault } from "../http/faults.ts";
import {
  type Account,
  type App,
  type Comment,
  type Grant,
  type Installation,
  type Item,
  type Repository,
  type Role,
  ROLES,
} from "./entities.ts";
import type { Manifest } from "./manifests.ts";

/** Everything there is, in memory, with what tests turn. */
export class World {
  /** Where the API is, without a slash at the end; known once the server listens. */
  api = "";
  html = "https://github.com";
  readonly clock: Clock;
  readonly accounts = new Map<string, Account>();
  readonly repositories = new Map<number, Repository>();
  readonly apps = new Map<number, App>();
  readonly installations = new Map<number, Installation>();
  readonly tokens = new Map<string, Grant>();
  /** Codes of App manifests that were just confirmed, and the manifests. */
  readonly manifests = new Map<string, { owner: string; manifest: z.output<typeof Manifest>; until: Date }>();
  readonly limits: RateLimits;
  readonly courier: Courier;
  /** Reading that is behind. */
  readonly lags: Lags<Comment>;
  /** Looked at for each request, in order; the first that applies is done. */
  faults: Fault[] = [];
  #last = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.limits = new RateLimits(clock);
    this.courier = new Courier(this);
    this.lags = new Lags(() => clock.now().getTime());
  }

  /** Now, in whole seconds. */
  now(): Date {
    return new Date(Math.floor(this.clock.now().getTime() / 1_000) * 1_000);
  }

  /** Ids are given out in order, over all kinds, as databases do that have had more in them. */
  nextId(): number {
    this.#last += 1;
    return 1_000_000 + this.#last;
  }

  guid(): string {
    return randomUUID();
  }

  account(login: string): Account {
    const known = this.accounts.get(login.toLowerCase());
    if (known) return known;
    const type = login.endsWith("[bot]") ? "Bot" : "User";
    const made: Account = { id: this.nextId(), login, type, name: null };
    this.accounts.set(login.toLowerCase(), made);
    return made;
  }

  findRepository(owner: string, name: string): Repository | undefined {
    const [o, n] = [owner.toLowerCase(), name.toLowerCase()];
    return [...this.repositories.values()].find(
      (each) => each.owner.toLowerCase() === o && each.name.toLowerCase() === n,
    );
  }

  /** A repository by its full name. */
  repository(fullName: string): Repository {
    const [owner = "", name = ""] = fullName.split("/");
    const found = this.findRepository(owner, name);
    if (found === undefined) throw new Error(`the mock has no repository ${fullName}`);
    return found;
  }

  item(fullName: string, number: number): Item {
    const found = this.repository(fullName).items.get(number);
    if (found === undefined) throw new Error(`the mock has no ${fullName}#${number}`);
    return found;
  }

  /** An item with its thread as those see it who read it now. */
  read(item: Item, reading: Reading): Item {
    const { comments, updatedAt } = this.lags.seen(item, item.number, reading, item);
    return { ...item, comments: [...comments], updatedAt };
  }

  /** What an account may do in a repository now. */
  roleOf(repository: Repository, login: string): Role {
    const name = login.toLowerCase();
    if (name === repository.owner.toLowerCase()) return "admin";
    for (const [each, role] of repository.collaborators) if (each.toLowerCase() === name) return role;
    return repository.private ? "none" : "read";
  }

  /** Whether somebody belongs to the repository, which readers of a public one do not. */
  isCollaborator(repository: Repository, login: string): boolean {
    const name = login.toLowerCase();
    return (
      name === repository.owner.toLowerCase() ||
      [...repository.collaborators.keys()].some((each) => each.toLowerCase() === name)
    );
  }

  installationsOf(repository: Repository): Installation[] {
    return [...this.installations.values()].filter((each) => this.covers(each, repository));
  }

  covers(installation: Installation, repository: Repository): boolean {
    return (
      installation.account.toLowerCase() === repository.owner.toLowerCase() &&
      (installation.repositories === "all" || installation.repositories.includes(repository.name))
    );
  }

  botOf(app: App): string {
    return `${app.slug}[bot]`;
  }

  /** A commit id that is nowhere else. */
  newSha(): string {
    return createHash("sha1").update(String(this.nextId())).digest("hex");
  }
}

export function roleAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
