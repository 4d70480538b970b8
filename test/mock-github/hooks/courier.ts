import type { App, Hook, Installation, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Attempt, send } from "./attempt.ts";

/** A webhook's message. Its text is made when the thing happens, not when it is sent. */
export interface Delivery {
  guid: string;
  hook: Hook;
  target: { kind: "repository" | "integration"; id: number };
  event: string;
  action: string | null;
  repositoryId: number | null;
  installationId: number | null;
  text: string;
}

/**
 * What becomes of a new delivery: `hold` keeps it until `release`, `fail` lists it as not delivered without trying,
 * `lose` forgets it, `twice` sends it two times.
 */
export type Fate = "send" | "hold" | "fail" | "lose" | "twice";

export interface Happening {
  event: string;
  action: string | null;
  repository: Repository | null;
  /** Where it concerns one installation, and no repository. */
  installation?: Installation;
  payload: Record<string, unknown>;
}

/** Brings webhooks out. GitHub tries each once; what failed stays in the list until somebody asks for it again. */
export class Courier {
  fate: (delivery: Delivery) => Fate = () => "send";
  /** 1 keeps the order in which things happened; GitHub promises none. */
  atOnce = 10;
  /** Milliseconds until a receiver is given up; ten seconds at GitHub. */
  patience = 10_000;
  /** All attempts, oldest first. */
  readonly attempts: Attempt[] = [];
  readonly held: Delivery[] = [];
  /** Which of the next ones come late, and by how many milliseconds; each holds for so many. */
  late: { fits: (delivery: Delivery) => boolean; ms: number; times: number }[] = [];
  /** All that were made, oldest first. */
  readonly made: Delivery[] = [];
  readonly #world: World;
  readonly #queue: { delivery: Delivery; again: boolean }[] = [];
  readonly #waiting = new Set<() => void>();
  #running = 0;
  /** How many are to come late. */
  #late = 0;
  #closed = new AbortController();

  constructor(world: World) {
    this.#world = world;
  }

  /** Tells all hooks that listen to such an event. The payload is only built where one does. */
  tell(repository: Repository, event: string, happening: () => Happening): void {
    const receivers = this.#receivers(repository, event);
    if (receivers.length === 0) return;
    const made = happening();
    for (const receiver of receivers) this.#make(receiver, made);
  }

  /** Tells one hook of a repository, whatever it listens to. */
  tellHook(repository: Repository, hook: Hook, happening: Happening): void {
    this.#make({ hook, target: { kind: "repository", id: repository.id } }, happening);
  }

  /** Tells an App of something that every App is told. */
  tellApp(app: App, happening: Happening): void {
    const installation = happening.installation;
    if (app.hook) {
      const target = { kind: "integration", id: app.id } as const;
      this.#make({ hook: app.hook, target, ...(installation && { installation }) }, happening);
    }
  }

  /** Sends a listed delivery again, under the same GUID. */
  redeliver(attempt: Attempt): void {
    this.#enqueue(attempt.delivery, true);
  }

  /** Sends what was sent before under a GUID of its own, as whoever has caught it may: GUIDs are not signed. */
  replay(delivery: Delivery): void {
    this.#enqueue({ ...delivery, guid: this.#world.guid() }, false);
  }

  /** Lets go what was held back, in this order. */
  release(order: (held: Delivery[]) => Delivery[] = (held) => held): void {
    for (const delivery of order(this.held.splice(0))) this.#enqueue(delivery, false);
  }

  /** When nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#running + this.#late > 0 || this.#queue.length > 0) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  close(): void {
    this.#queue.length = 0;
    this.#closed.abort();
  }

  #receivers(repository: Repository, event: string): Receiver[] {
    const listens = (hook: Hook | null): hook is Hook =>
      hook !== null && hook.active && (hook.events.includes("*") || hook.events.includes(event));
    const own = repository.hooks
      .filter(listens)
      .map((hook) => ({ hook, target: { kind: "repository", id: repository.id } }) as const);
    const apps = this.#world.installationsOf(repository).flatMap((installation) => {
      const app = this.#world.apps.get(installation.appId);
      if (app === undefined || installation.suspendedAt !== null || !listens(app.hook)) return [];
      return [{ hook: app.hook, target: { kind: "integration", id: app.id } as const, installation }];
    });
    return [...own, ...apps];
  }

  #make({ hook, target, installation }: Receiver, happening: Happening): void {
    const { event, action, repository, payload } = happening;
    const delivery: Delivery = {
      guid: this.#world.guid(),
      hook,
      target,
      event,
      action,
      repositoryId: repository?.id ?? null,
      installationId: installation?.id ?? null,
      text: JSON.stringify({
        ...(action === null ? {} : { action }),
        ...payload,
        ...(installation && event !== "installation"
          ? { installation: { id: installation.id, node_id: `MDIz${installation.id}` } }
          : {}),
      }),
    };
    this.made.push(delivery);
    const late = this.late.find((one) => one.times > 0 && one.fits(delivery));
    const fate = this.fate(delivery);
    if (late && fate === "send") {
      late.times -= 1;
      this.#later(delivery, late.ms);
    } else if (fate === "hold") this.held.push(delivery);
    else if (fate === "fail") this.#record(delivery, false, { status: "failed to connect to host", code: 502 });
    else if (fate !== "lose") {
      this.#enqueue(delivery, false);
      if (fate === "twice") this.#enqueue(delivery, false);
    }
  }

  #later(delivery: Delivery, ms: number): void {
    this.#late += 1;
    const timer = setTimeout(() => {
      this.#late -= 1;
      this.#enqueue(delivery, false);
    }, ms);
    this.#closed.signal.addEventListener("abort", () => clearTimeout(timer));
  }

  #enqueue(delivery: Delivery, again: boolean): void {
    if (this.#closed.signal.aborted) return;
    this.#queue.push({ delivery, again });
    this.#pump();
  }

  #pump(): void {
    while (this.#running < this.atOnce) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#running += 1;
      void this.#deliver(next.delivery, next.again);
    }
  }

  async #deliver(delivery: Delivery, again: boolean): Promise<void> {
    const outcome = await send(delivery, this.patience, this.#closed.signal);
    this.#record(delivery, again, outcome);
    this.#running -= 1;
    this.#pump();
    if (this.#running === 0 && this.#queue.length === 0) {
      for (const tell of this.#waiting) tell();
      this.#waiting.clear();
    }
  }

  #record(delivery: Delivery, again: boolean, outcome: Pick<Attempt, "status" | "code"> & Partial<Attempt>): void {
    const made = { id: this.#world.nextId(), deliveredAt: this.#world.clock.now(), redelivery: again, seconds: 0 };
    this.attempts.push({ ...made, delivery, answer: "", ...outcome });
  }
}

interface Receiver {
  hook: Hook;
  target: Delivery["target"];
  installation?: Installation;
}
