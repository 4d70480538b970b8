import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startGitServer, type GitServer } from "../../../test/support/git-server.ts";
import { incompressible, makeOrigin } from "../../../test/support/git-origin.ts";
import { RelayError } from "../../lib/errors.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { credentialLines, scrubbed, type CredentialSource } from "./credential.ts";
import { mirrorPath } from "./mirror-directory.ts";
import { refreshMirror } from "./refresh.ts";

const SECRET = "tOp+s3cret/ püß";
const LOGIN = { username: "relay", password: SECRET };
const base = mkdtempSync(join(tmpdir(), "relay-mirror-login-"));
const served = join(base, "served");
const home = join(base, "home");
const logged: string[] = [];
let server: GitServer;
let elsewhere: GitServer;

const note = (fields: Record<string, unknown>, message: string): void => {
  logged.push(JSON.stringify({ ...fields, message }));
};
const log: Log = { debug: note, info: note, warn: note, error: note };

function refresh(name: string, credential?: CredentialSource) {
  const url = `${server.origin}/${name}.git`;
  return refreshMirror({ url, ...(credential ? { credential } : {}) }, { home, clock: systemClock, log });
}

async function failure(promise: Promise<unknown>): Promise<RelayError> {
  const error: unknown = await promise.then(
    () => new Error("no error"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RelayError) return error;
  throw error;
}

/** Every form in which the secret could be found somewhere. */
function forms(): string[] {
  const basic = Buffer.from(`relay:${SECRET}`).toString("base64");
  return [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString("base64"), basic];
}

function filesWithSecret(): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => forms().some((form) => readFileSync(file).includes(form)));
}

beforeAll(async () => {
  mkdirSync(served, { recursive: true });
  server = await startGitServer(served);
  elsewhere = await startGitServer(served);
});

beforeEach(() => {
  server.login = LOGIN;
});

afterEach(() => {
  for (const one of [server, elsewhere]) {
    one.release();
    one.instead = undefined;
    one.seen.length = 0;
  }
});

afterAll(async () => {
  await server.close();
  await elsewhere.close();
  rmSync(base, { recursive: true, force: true });
});

describe("a server that asks for a credential", () => {
  test("gets it, and shows the repository", async () => {
    const origin = makeOrigin(served, "shut");
    expect(await refresh("shut", LOGIN)).toMatchObject({ changed: true });
    origin.commit("a.txt", "a\n");
    expect(await refresh("shut", LOGIN)).toMatchObject({ changed: true });
  });

  test("a wrong password is told as refused, a missing one as missing", async () => {
    makeOrigin(served, "wrong");
    const wrong = await failure(refresh("wrong", { username: "relay", password: "n0t-this-one" }));
    expect(wrong).toMatchObject({ code: "forbidden", status: 401, retryable: false });
    expect(wrong.message).toContain("refused the credential");
    expect(wrong.message).not.toContain("n0t-this-one");
    const missing = await failure(refresh("wrong"));
    expect(missing).toMatchObject({ code: "forbidden", status: 401 });
    expect(missing.message).toContain("asks for a credential");
    expect(existsSync(mirrorPath(home, `${server.origin}/wrong.git`))).toBe(false);
  });

  test("an expired token is renewed by the function, once", async () => {
    makeOrigin(served, "expired");
    const asked: string[] = [];
    const renewing = (why: "first" | "refused") => {
      asked.push(why);
      return why === "first" ? { username: "relay", password: "0ld-token" } : LOGIN;
    };
    expect(await refresh("expired", renewing)).toMatchObject({ changed: true });
    expect(asked).toEqual(["first", "refused"]);
    asked.length = 0;
    const never = (why: "first" | "refused") => {
      asked.push(why);
      return { username: "relay", password: "0ld-token" };
    };
    expect(await failure(refresh("expired", never))).toMatchObject({ code: "forbidden" });
    expect(asked).toEqual(["first", "refused"]);
  });

  test("a token that expires between listing and fetching is renewed", async () => {
    makeOrigin(served, "expiring");
    server.login = { username: "relay", password: "first-token" };
    // The first POST is the listing.
    server.instead = (request, response) => {
      if (request.method !== "POST") return false;
      response.on("close", () => {
        server.login = { username: "relay", password: "second-token" };
      });
      return false;
    };
    const asked: string[] = [];
    const credential = (why: "first" | "refused") => {
      asked.push(why);
      return { username: "relay", password: why === "first" ? "first-token" : "second-token" };
    };
    expect(await refresh("expiring", credential)).toMatchObject({ changed: true });
    expect(asked).toEqual(["first", "refused"]);
  });

  test.each([
    [403, "forbidden", false],
    [404, "not_found", false],
    [429, "rate_limited", true],
    [500, "unavailable", true],
    [503, "unavailable", true],
  ])("the status %i is told as %s", async (status, code, retryable) => {
    server.instead = (_request, response) => {
      response.writeHead(status, { "retry-after": "7" }).end("no");
      return true;
    };
    const error = await failure(refresh("any", LOGIN));
    expect(error).toMatchObject({ code, status, retryable, retryAfterMs: 7_000 });
  });

  test("a repository that is not there is told as not found, a port where nobody listens as unreachable", async () => {
    expect(await failure(refresh("none", LOGIN))).toMatchObject({ code: "not_found", status: 404 });
    const gone = await startGitServer(served);
    await gone.close();
    const error = await failure(refreshMirror({ url: `${gone.origin}/a.git` }, { home, clock: systemClock }));
    expect(error).toMatchObject({ code: "unavailable", retryable: true, status: undefined });
    expect(error.message).toContain("cannot be reached");
  });
});

describe("the credential stays with the host that it is for", () => {
  test("a redirect to another host does not take it along", async () => {
    makeOrigin(served, "moved");
    elsewhere.login = LOGIN;
    server.instead = (request, response) => {
      if (request.headers.authorization === undefined) return false;
      response.writeHead(302, { location: `${elsewhere.origin}${request.url ?? ""}` }).end();
      return true;
    };
    const error = await failure(refresh("moved", LOGIN));
    expect(error).toMatchObject({ code: "forbidden", status: 401 });
    expect(server.seen.some(({ authorization }) => authorization !== undefined)).toBe(true);
    expect(elsewhere.seen.length).toBeGreaterThan(0);
    expect(elsewhere.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });

  test("nor does a redirect before anybody asked for it", async () => {
    makeOrigin(served, "moved-at-once");
    elsewhere.login = LOGIN;
    server.instead = (request, response) => {
      response.writeHead(301, { location: `${elsewhere.origin}${request.url ?? ""}` }).end();
      return true;
    };
    expect(await failure(refresh("moved-at-once", LOGIN))).toMatchObject({ code: "forbidden" });
    expect(elsewhere.seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });

  test("a redirect within the host is followed", async () => {
    makeOrigin(served, "new-name");
    server.instead = (request, response) => {
      if (!request.url?.startsWith("/old-name.git")) return false;
      response.writeHead(301, { location: request.url.replace("/old-name.git", "/new-name.git") }).end();
      return true;
    };
    expect(await refresh("old-name", LOGIN)).toMatchObject({ changed: true });
  });

  test("a helper put into the mirror's configuration is not told it", async () => {
    const origin = makeOrigin(served, "curious");
    const { directory } = await refresh("curious", LOGIN);
    const trap = join(base, "told");
    appendFileSync(
      join(directory, "config"),
      `[credential]\n\thelper = "!cat >${trap}"\n[credential "${server.origin}"]\n\thelper = "!cat >${trap}"\n`,
    );
    origin.commit("a.txt", "a\n");
    expect(await refresh("curious", LOGIN)).toMatchObject({ changed: true });
    expect(existsSync(trap)).toBe(false);
  });

  test("a credential that would break out of its line is refused", () => {
    for (const password of ["", "a\nhost=evil.example.org", "a\rb", "a\0b"]) {
      expect(() => credentialLines({ username: "relay", password })).toThrow(RelayError);
    }
  });
});

describe("the secret is nowhere", () => {
  test("not in files, errors and logs, after success, failure and a fetch that was broken off", async () => {
    const origin = makeOrigin(served, "quiet");
    const errors = [await failure(refresh("nowhere", LOGIN))];
    await refresh("quiet", LOGIN);
    origin.commit("big.bin", incompressible(300_000));
    server.trouble = { afterBytes: 50_000, act: "cut" };
    errors.push(await failure(refresh("quiet", LOGIN)));
    server.release();
    await refresh("quiet", LOGIN);
    expect(filesWithSecret()).toEqual([]);
    const told = [...errors.map((error) => `${error.message} ${error.stack} ${String(error.cause)}`), ...logged].join();
    expect(forms().filter((form) => told.includes(form))).toEqual([]);
    expect(logged.length).toBeGreaterThan(0);
  });

  test.runIf(existsSync("/proc/self/cmdline"))(
    "not in arguments or environments of processes while one fetches",
    async () => {
      const origin = makeOrigin(served, "watched");
      origin.commit("big.bin", incompressible(300_000));
      server.trouble = { afterBytes: 50_000, act: "wait" };
      const running = refresh("watched", LOGIN);
      await server.reached();
      const seen = readdirSync("/proc")
        .filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)
        .map((pid) => `${contentOf(`/proc/${pid}/cmdline`)}\0${contentOf(`/proc/${pid}/environ`)}`);
      const files = filesWithSecret();
      server.release();
      await running;
      expect(seen.some((text) => text.includes("remote-http") && text.includes(server.origin))).toBe(true);
      expect(seen.filter((text) => forms().some((form) => text.includes(form)))).toEqual([]);
      expect(files).toEqual([]);
    },
  );

  test("what git says is cleaned of it in every form", () => {
    const said = `fatal: ${forms().join(" and ")} at https://ann:hunter22@example.org/`;
    const clean = scrubbed(said, LOGIN);
    expect([SECRET, encodeURIComponent(SECRET), "hunter22"].filter((form) => clean.includes(form))).toEqual([]);
    expect(clean).not.toContain(Buffer.from(`relay:${SECRET}`).toString("base64"));
  });
});

function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
