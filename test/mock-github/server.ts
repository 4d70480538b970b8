import { createServer } from "node:http";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { KEEPS_CONNECTIONS } from "../support/keep-alive.ts";
import { answerRequest } from "./http/handle.ts";
import { control } from "./http/control.ts";
import { page } from "./http/pages.ts";
import { type Request, Requests } from "./http/requests.ts";
import { type Act, type Outcome, Act as ActShape } from "./world/acts.ts";
import { perform } from "./world/perform.ts";
import { type Planted, type Seed, plant } from "./world/seed.ts";
import { World } from "./world/world.ts";

export interface MockGithub {
  /** Address of the API: `http://127.0.0.1:1234`, or with the prefix of an Enterprise. */
  url: string;
  world: World;
  /** What the seed has come to, such as the keys of Apps. */
  planted: Planted;
  /** Every request, in the order in which they came. */
  requests: Request[];
  /** How requests broke GitHub's published description; empty where all kept to it. */
  violations: string[];
  /** How the mock's own answers broke it, where `checkAnswers` is set. */
  mistakes: string[];
  /** Lets somebody do something in the world. */
  act(act: Act): Outcome;
  /** Adds to the world, without telling. */
  plant(seed: Seed): Planted;
  close(): Promise<void>;
}

export interface MockOptions {
  clock?: Clock;
  seed?: Seed;
  /** `/api/v3` for an Enterprise. */
  prefix?: string;
  checkAnswers?: boolean;
  port?: number;
}

/** A GitHub on loopback, in memory, that answers as `api.github.com` does for what Relay calls. */
export async function startMockGithub(options: MockOptions = {}): Promise<MockGithub> {
  const { clock = systemClock, seed = {}, prefix = "", checkAnswers = false, port = 0 } = options;
  const world = new World(clock);
  const requests = new Requests(checkAnswers);
  const server = createServer(KEEPS_CONNECTIONS, (incoming, response) => {
    const path = incoming.url ?? "/";
    response.on("error", () => {});
    const answered = path.startsWith("/_mock/")
      ? control(mock, incoming, response)
      : path.startsWith(`${prefix}/`) && !path.includes("/settings/apps/new")
        ? answerRequest(world, requests, incoming, response, path.slice(prefix.length))
        : // An Enterprise has GraphQL beside the REST API, not below it.
          prefix === "/api/v3" && path === "/api/graphql"
          ? answerRequest(world, requests, incoming, response, "/graphql")
          : (page(world, incoming, response) ?? Promise.resolve(void response.writeHead(404).end()));
    // A bug of the mock is not to look like an answer of GitHub.
    answered.catch((error: unknown) => {
      // Nor is a client that has gone a bug.
      if (!incoming.complete) return;
      requests.mistakes.push(`${incoming.method} ${path}: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : 0;
  world.api = `http://127.0.0.1:${bound}${prefix}`;
  if (prefix !== "") world.html = `http://127.0.0.1:${bound}`;
  const mock: MockGithub = {
    url: world.api,
    world,
    planted: plant(world, seed),
    requests: requests.log,
    violations: requests.violations,
    mistakes: requests.mistakes,
    act: (act) => perform(world, ActShape.parse(act)),
    plant: (more) => plant(world, more),
    close: async () => {
      world.courier.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return mock;
}
