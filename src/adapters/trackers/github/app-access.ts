import type { Call } from "../pages.ts";
import { unlessMissing } from "../missing.ts";
import QuickLRU from "quick-lru";
import { z } from "zod";
import type { Clock } from "../../../lib/clock.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Access } from "./access.ts";
import { read } from "./answers.ts";
import { appToken } from "./app-token.ts";
import type { MakeCaller } from "./callers.ts";
import type { Installation } from "./installation.ts";
import { openInstallation } from "./installation.ts";
import { pathOf } from "./repository.ts";

/** For so long it is not asked again which installation a repository belongs to. */
const PLACE_MS = 10 * 60_000;

export interface AppOptions {
  appId: string;
  privateKey: string;
}

export interface AppAccess extends Access {
  /** Calls in the name of the App itself, which sees no repository. */
  readonly call: Call;
  readonly slug: () => Promise<string>;
  installation(id: number): Installation;
}

/**
 * The way in as a GitHub App, which has a token of its own in each account that installed it. Which installation a
 * repository belongs to is asked when it is first needed, and anew when that one is gone.
 */
export function appAccess(
  options: AppOptions,
  { makeCaller, clock }: { makeCaller: MakeCaller; clock: Clock },
): AppAccess {
  const call = makeCaller(`app:${options.appId}`, appToken(options, clock));
  const installations = new Map<number, Installation>();
  const places = new QuickLRU<string, { id: number; until: number }>({ maxSize: 10_000 });

  const installation = (id: number): Installation => {
    const known = installations.get(id) ?? openInstallation(id, { app: call, makeCaller, clock });
    installations.set(id, known);
    return known;
  };

  async function placeOf(project: string): Promise<Installation> {
    const root = pathOf(project);
    const key = project.toLowerCase();
    const known = places.get(key);
    if (known !== undefined && known.until > clock.now().getTime()) return installation(known.id);
    const answer = await unlessMissing(call({ method: "GET", path: `${root}/installation` }));
    if (answer === null) {
      throw new RelayError(
        "not_found",
        `there is no GitHub repository ${project}, or the App is not installed there; install it for that repository`,
        { status: 404 },
      );
    }
    const { id } = read(z.object({ id: z.number() }), answer.body, `the installation for ${project}`);
    places.set(key, { id, until: clock.now().getTime() + PLACE_MS });
    return installation(id);
  }

  /** The installation, with a token: where it was removed and made again, the new one. */
  async function opened(project: string): Promise<Installation> {
    const first = await placeOf(project);
    try {
      await first.token(false);
      return first;
    } catch (cause) {
      if (!(cause instanceof RelayError && cause.code === "not_found")) throw cause;
      installations.delete(first.id);
      places.delete(project.toLowerCase());
      const second = await placeOf(project);
      if (second.id === first.id) throw cause;
      return second;
    }
  }

  const slug = async () => {
    const { body } = await call({ method: "GET", path: "/app" });
    return read(z.object({ slug: z.string() }), body, "the App").slug;
  };

  return {
    call,
    slug,
    installation,
    identity: async () => {
      const name = await slug();
      return { bot: `${name}[bot]`, calledAs: [name, `${name}[bot]`] };
    },
    callFor: async (project) => (await opened(project)).call,
    password: async (project, fresh) => await (await opened(project)).token(fresh),
  };
}
