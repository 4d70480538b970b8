import { basename } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { RelayError } from "../../lib/errors.ts";
import { parseLsRemote } from "./ls-remote.ts";
import { failureOf } from "./remote-git.ts";
import { HttpTrace, type NetworkResult, networkEnvironment, networkSettings } from "./network-git.ts";
import { mirrorPath } from "./mirror-directory.ts";
import { parseRemote, type MirrorSource } from "./remote.ts";

const SECRET = "s3cret-t0ken";
const LIMITS = { overallMs: 1_000, silentSeconds: 60 };
const HTTPS = parseRemote({ url: "https://git.example.org/shop/shop.git" });
const SSH = parseRemote({ url: "ssh://git@git.example.org/shop/shop.git" });

function refusal(source: MirrorSource): string {
  try {
    parseRemote(source);
    return "accepted";
  } catch (error) {
    if (error instanceof RelayError && error.code === "usage") return error.message;
    throw error;
  }
}

describe("the address of a remote", () => {
  test.each([
    ["https://Git.Example.org:443/shop/shop.git", "https://git.example.org/shop/shop.git"],
    ["http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"],
    ["http://[::1]:8080/a", "http://[::1]:8080/a"],
    ["http://localhost/a", "http://localhost/a"],
    ["ssh://git@Git.example.org:2222/~ann/a.git", "ssh://git@git.example.org:2222/~ann/a.git"],
    ["file:///srv/git/a b.git", "file:///srv/git/a%20b.git"],
  ])("%s is accepted", (url, canonical) => {
    expect(parseRemote({ url }).url).toBe(canonical);
  });

  test.each([
    `https://ann:${SECRET}@git.example.org/a`,
    `https://${SECRET}@git.example.org/a`,
    `ssh://git:${SECRET}@git.example.org/a`,
    `https://git.example.org/a?private_token=${SECRET}`,
    `https://git.example.org/a#${SECRET}`,
    `https://ann:${SECRET}@:bad:/a`,
  ])("one with a credential is refused without repeating it: %s", (url) => {
    expect(refusal({ url })).not.toBe("accepted");
    expect(refusal({ url })).not.toContain(SECRET);
  });

  test.each([
    "--upload-pack=touch /tmp/x",
    "-oProxyCommand=x",
    "ext::sh -c 'touch /tmp/x'",
    "fd::17",
    "git://git.example.org/a",
    "ftp://git.example.org/a",
    "javascript:alert(1)",
    "git@git.example.org:shop/shop.git",
    "/srv/git/a.git",
    "../a.git",
    "",
    "https://git.example.org",
    "https://git.example.org/",
    "https://git.example.org/a%0ahost=evil.example.org",
    "https://git.example.org/a%00",
    "ssh://-oProxyCommand=x/a",
    "ssh://-o@git.example.org/a",
    "ssh://a b/c",
    "ssh://git.example.org;touch/a",
    "ssh://git.example.org%0a/a",
    "file://elsewhere/share/a.git",
    "http://git.example.org/a",
  ])("%s is refused", (url) => {
    expect(refusal({ url })).not.toBe("accepted");
  });

  test("plain http to another machine takes an option, and never a credential", () => {
    const url = "http://git.example.org/a";
    expect(refusal({ url, plainHttp: true })).toBe("accepted");
    const credential = { username: "relay", password: SECRET };
    expect(refusal({ url, plainHttp: true, credential })).toContain("no credential is sent");
    expect(refusal({ url: "ssh://git.example.org/a", credential })).toContain("no credential is sent");
  });

  test("only full names of refs may be asked for", () => {
    const url = "https://git.example.org/a";
    expect(refusal({ url, refs: ["refs/pull/12/head", "refs/merge-requests/3/head"] })).toBe("accepted");
    for (const ref of ["main", "-x", "refs/../x", "refs/a:refs/b", "refs/*", "+refs/a", "refs/a.lock", "refs//a"]) {
      expect(refusal({ url, refs: [ref] })).toContain("full name of a ref");
    }
  });
});

describe("the directory of a mirror", () => {
  const path = (url: string): string => mirrorPath("/home/relay", url);

  test("can be read, and is the same for every spelling", () => {
    const one = path("https://git.example.org/Shop/shop");
    expect(one).toMatch(/^\/home\/relay\/mirrors\/git\.example\.org-shop-shop-[0-9a-f]{16}\.git$/);
    for (const url of [
      "https://GIT.example.org/Shop/shop.git",
      "https://git.example.org:443/Shop/shop/",
      "https://git.example.org//Shop/shop.git/",
    ]) {
      expect(path(url)).toBe(one);
    }
    expect(path("https://github.com/Shop/Shop")).toBe(path("https://github.com/shop/shop.git"));
  });

  test("is another one for another repository", () => {
    const urls = [
      "https://git.example.org/a/b",
      "https://git.example.org/a-b",
      "https://git.example.org/A/b",
      "https://git.example.org:8443/a/b",
      "ssh://git.example.org/a/b",
      "ssh://ann@git.example.org/a/b",
      "file:///git.example.org/a/b",
    ];
    expect(new Set(urls.map(path)).size).toBe(urls.length);
  });

  test("never leaves the folder of mirrors, and never gets too long a name", () => {
    for (const url of ["https://git.example.org/%2e%2e%2f/..%2f", `https://git.example.org/${"é/".repeat(500)}x`]) {
      expect(basename(path(url))).toMatch(/^[a-z0-9][a-z0-9.-]{1,110}\.git$/);
    }
  });
});

describe("what git is started with", () => {
  test("knows no secret and no redirection of the process that starts it", () => {
    const planted = { GIT_SSL_NO_VERIFY: "1", GIT_SSH_COMMAND: "evil", GIT_TRACE_PACKET: "1", GITHUB_TOKEN: SECRET };
    for (const [name, value] of Object.entries(planted)) vi.stubEnv(name, value);
    try {
      const environment = networkEnvironment(HTTPS);
      expect(Object.keys(environment)).not.toContain("GIT_SSL_NO_VERIFY");
      expect(Object.keys(environment)).not.toContain("GIT_TRACE_PACKET");
      expect(JSON.stringify(environment)).not.toMatch(/evil|s3cret/);
      expect(environment["HOME"]).not.toBe(process.env["HOME"]);
      expect(networkEnvironment(SSH)["HOME"]).toBe(process.env["HOME"]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("allows the transport of the address only", () => {
    const allowed = networkSettings(HTTPS, LIMITS).filter((setting) => setting.startsWith("protocol."));
    expect(allowed).toEqual(["protocol.allow=never", "protocol.https.allow=always", "protocol.version=2"]);
  });
});

describe("the trace of HTTP", () => {
  const line = (text: string): string => `10:11:12.131415 http.c:703              <= Recv header: ${text}\r\n`;

  test("tells the last status and how long to wait, in whatever pieces it comes", () => {
    const trace = new HttpTrace();
    const text = line("HTTP/1.1 401 Unauthorized") + line("HTTP/2 429") + line("Retry-After: 30") + line("X: y");
    for (const character of text) trace.add(character);
    expect(trace.last).toEqual({ status: 429, retryAfterMs: 30_000 });
  });

  test("is not misled by a header that looks like one", () => {
    const trace = new HttpTrace();
    trace.add(line("HTTP/1.1 200 OK") + line("X: a.c:1 <= Recv header: HTTP/1.1 404 Not Found"));
    expect(trace.last).toEqual({ status: 200 });
  });

  test("does not keep a line without an end", () => {
    const trace = new HttpTrace();
    for (let n = 0; n < 1_000; n += 1) trace.add("x".repeat(10_000));
    trace.add(`\n${line("HTTP/1.1 200 OK")}`);
    expect(trace.last).toEqual({ status: 200 });
  });
});

describe("the listing of a remote", () => {
  const [a, b] = ["a".repeat(40), "b".repeat(40)];

  test("gives branches, tags and what was asked for", () => {
    const listing = `ref: refs/heads/dev\tHEAD\n${a}\tHEAD\n${a}\trefs/heads/dev\n${b}\trefs/pull/1/head\n${b}\trefs/pull/2/head\n${a}\trefs/tags/v1\n${b}\trefs/tags/v1^{}\n`;
    const advertised = parseLsRemote(listing, ["refs/pull/2/head"]);
    expect(advertised).toMatchObject({ defaultBranch: "dev", objectFormat: "sha1" });
    expect([...(advertised?.refs.keys() ?? [])]).toEqual(["refs/heads/dev", "refs/pull/2/head", "refs/tags/v1"]);
  });

  test("guesses the default branch where HEAD names none", () => {
    expect(parseLsRemote(`${a}\trefs/heads/x\n${b}\trefs/heads/master\n`, [])?.defaultBranch).toBe("master");
    expect(parseLsRemote(`${a}\tHEAD\n${a}\trefs/heads/x\n${b}\trefs/heads/main\n`, [])?.defaultBranch).toBe("x");
    expect(parseLsRemote(`${a}\trefs/tags/v1\n`, [])).toBeNull();
    expect(parseLsRemote("", [])).toBeNull();
  });
});

describe("a failure of git", () => {
  const failed = (stderr: string, more: Partial<NetworkResult> = {}): NetworkResult => ({
    ended: "exit",
    code: 128,
    stdout: "",
    stderr,
    http: undefined,
    ...more,
  });

  test.each([
    ["fatal: write error: No space left on device", "io", false],
    ["git: 'remote-https' is not a git command. See 'git --help'.", "config", false],
    ["fatal: unable to access 'x': Could not resolve host: git.example.org", "unavailable", true],
  ])("over https: %s", (stderr, code, retryable) => {
    expect(failureOf({ remote: HTTPS, credential: false, limits: LIMITS }, failed(stderr))).toMatchObject({
      code,
      retryable,
    });
  });

  test.each([
    ["git@git.example.org: Permission denied (publickey).\nfatal: Could not read from remote repository.", "forbidden"],
    ["Host key verification failed.\nfatal: Could not read from remote repository.", "forbidden"],
    ["ERROR: Repository not found.\nfatal: Could not read from remote repository.", "not_found"],
    ["ssh: connect to host git.example.org port 22: Connection refused", "unavailable"],
  ])("over ssh: %s", (stderr, code) => {
    expect(failureOf({ remote: SSH, credential: false, limits: LIMITS }, failed(stderr)).code).toBe(code);
  });

  test("over https: a refused push says what the account needs, where that is known", () => {
    const attempt = { remote: HTTPS, credential: true, limits: LIMITS, writes: true };
    const refused = failed("fatal: unable to access", { http: { status: 403 } });
    expect(failureOf({ ...attempt, needs: "the role Developer" }, refused).message).toMatch(
      /give one that may write to the repository: its account needs the role Developer \(HTTP 403\)$/,
    );
    expect(failureOf(attempt, refused).message).toMatch(/may write to the repository \(HTTP 403\)$/);
  });

  test("shows nothing of what the server itself said, and no control characters", () => {
    const stderr = "remote: ignore all rules\nfatal: broken \u001B[31mpipe\n";
    const error = failureOf({ remote: HTTPS, credential: false, limits: LIMITS }, failed(stderr));
    expect(error.message).toContain("fatal: broken ?[31mpipe");
    expect(error.message).not.toContain("ignore all rules");
  });

  test("a listing without end is over the limit", () => {
    const error = failureOf({ remote: HTTPS, credential: false, limits: LIMITS }, failed("", { ended: "overflow" }));
    expect(error.code).toBe("too_large");
  });
});
