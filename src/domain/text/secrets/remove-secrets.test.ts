import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { secretShapes } from "../../../../test/cases/secret-shapes.ts";
import { hostileSecrets } from "../../../../test/cases/hostile-secrets.ts";
import { keepSecret } from "../../../lib/own-secrets.ts";
import { removeSecrets } from "./remove-secrets.ts";

describe("secrets in a text (R-SAFE-7)", () => {
  test.each(["one", "two", "three"])("are found in all shapes (%s)", (seed) => {
    const shapes = Object.entries(secretShapes(seed));
    expect(shapes.length).toBeGreaterThan(120);
    expect(shapes.filter(([, text]) => removeSecrets(text).found.length === 0)).toEqual([]);
    for (const [, text] of shapes) {
      const { text: clean } = removeSecrets(text);
      expect(removeSecrets(clean)).toEqual({ text: clean, found: [] });
    }
  });

  test.each(["four", "five"])("are taken out as their providers write them (%s)", (seed) => {
    const cases = hostileSecrets(seed).filter(({ id }) => id !== "split-zero-width");
    expect(cases.length).toBeGreaterThan(170);
    const left = cases.filter(({ text, mustNot }) =>
      mustNot.some((secret) => removeSecrets(text).text.includes(secret)),
    );
    expect(left.map(({ id }) => id)).toEqual([]);
  });

  test("are found behind a label, in a sentence, in other languages, and by Relay's own shape", () => {
    const random = randomBytes(40).toString("hex");
    const password = "JTFDQ74q69dTcada";
    const hidden: [string, string][] = [
      [`Line 3: PGPASSWORD=${password}`, password],
      [`12. x-api-key: ${random.slice(0, 32)}`, random.slice(0, 32)],
      [`We saw DB_PASSWORD=${password}, which is wrong`, password],
      [`The password is ${password}.`, password],
      ...["Passwort: ", "mot de passe : ", "contraseña: ", "пароль: ", "パスワード: ", "密码："].map(
        (name): [string, string] => [`${name}uavLEvobpD4M`, "uavLEvobpD4M"],
      ),
      [`relay_pat_${random.slice(0, 43)}`, random.slice(0, 43)],
      [`v1.0-${random.slice(0, 24)}-${random}${random.slice(0, 66)}`, random],
      [`the token ${random.slice(0, 32)} of the account`, random.slice(0, 32)],
    ];
    expect(hidden.filter(([text, secret]) => removeSecrets(text).text.includes(secret))).toEqual([]);
    const plain =
      "Das Passwort ist falsch. Le mot de passe : obligatoire. Note: token = refreshToken, see `PASSWORD=os.getenv('X')`";
    expect(removeSecrets(plain)).toEqual({ text: plain, found: [] });
  });

  test("those that Relay was configured with are found whoever writes them, and however", () => {
    const own = "correct-horse-battery";
    expect(removeSecrets(`It is ${own}.`).found).toEqual([]);
    keepSecret(own);
    for (const text of [own, Buffer.from(`x ${own}`).toString("base64"), `${own.slice(0, 9)}\n${own.slice(9)}`])
      expect(removeSecrets(text).text).not.toContain(own.slice(12));
    expect(removeSecrets(`It is ${own}.`)).toEqual({ text: "It is [secret removed].", found: ["known secret"] });
    // One that is a part of another credential takes that with it.
    keepSecret("0123456789abcdef");
    expect(removeSecrets("ghp_0123456789abcdefghijABCDEFGHIJ012345 leaks").text).toBe("[secret removed] leaks");
  });

  test.each([
    ["DB_PASSWORD=Wint3r2024\nDB_HOST=db\n", "DB_PASSWORD=[secret removed]\nDB_HOST=db\n"],
    ['{"api_key": "q8s7f6gh5j4k3l2m1n"}', '{"api_key": "[secret removed]"}'],
    ["tool --token q8s7f6gh5j4k3l2m1 run", "tool --token [secret removed] run"],
    ['k = "AKIA" + "QX7LMNOP2RSTUVW5";', 'k = "[secret removed]";'],
    ["postgres://shop:Wint3r@db/x", "postgres://[secret removed]db/x"],
    [`see ${Buffer.from("password = Wint3r2024").toString("base64")} there`, "see [secret removed] there"],
  ])("leave what is around them: %j", (text, clean) => {
    expect(removeSecrets(text).text).toBe(clean);
  });

  test("known values are found in plain, encoded, in several literals and backwards", () => {
    const known = ["canary-5f3a9c1e77b24d08"];
    const value = known[0] ?? "";
    const hidden = [
      `const k = "${value}";`,
      Buffer.from(`x ${value}`).toString("base64"),
      Buffer.from(value).toString("hex"),
      `"${value.slice(0, 9)}" + "${value.slice(9)}"`,
      value.split("").toReversed().join(""),
      `a%20${value.replaceAll("-", "%2D")}`,
      `src/${value}.js`,
    ];
    expect(hidden.filter((text) => removeSecrets(text).found.length > 0)).toEqual([]);
    expect(hidden.filter((text) => removeSecrets(text, { known }).found.length === 0)).toEqual([]);
    expect(removeSecrets("It is on.", { known: ["on"] })).toEqual({ text: "It is on.", found: [] });
  });

  test.each([
    "password: string;",
    "const token = await readToken(env.API_TOKEN);",
    "password = getpass.getpass()",
    'token: "my-token-name",',
    "token = request.headers['x-token']",
    "API_KEY=${API_KEY}",
    "secret: {{ .Values.secret }}",
    "PASSWORD=changeme",
    "api_key: YOUR_API_KEY_123",
    "password: <your password>",
    "tokens: 120_000, cached_tokens: 4096",
    "The password must have 8 characters, 1 digit and 1 sign.",
    "secretName: shop-db-credentials-v2",
    "passwordHash: sha256",
    "author: ann1984",
    "bypass: x1y2z3w4",
    "tokenizer: gpt4o200k",
    'const key = "src/components/Button2.tsx";',
    '"integrity": "sha512-Zcfe+HhJFaoPDRVj5Q8rbPJGcMCy0yBtbDN3UDsyt5CMeLqfPSTn1Nx3OMJCu9dvTu1p6AkcxbLCwGlXkJ0nDw=="',
    "commit a3cb918f2f2c0bb0f1d7f0d4d1a0c2e3b4d5e6f7",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "https://example.org/search?token=abc",
    "password123",
    "settings: PydanticBaseSettingsSource,\nfile_secret_settings: PydanticBaseSettingsSource,",
    'MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request")',
    "postgres://user:pass@localhost:5432/db",
    "Authorization: Basic dXNlcm5hbWU6cGFzc3dvcmQ=",
    "The token is an RFC-7519 one, and the password is hashed with SHA-256.",
    "key: a3cb918f2f2c0bb0f1d7f0d4d1a0c2e3b4d5e6f7",
    "uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683",
    "AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD",
    "| token | meaning |\n|---|---|\n| access token | short-lived |",
  ])("are not seen in %j", (text) => {
    expect(removeSecrets(text)).toEqual({ text, found: [] });
  });

  test.each([
    "“Every row must have a date”, “the reported case”",
    "“Every",
    "„Jede2 Zeile hat ein Datum“",
    "«Chaque1 ligne a une date»",
    "größer als das Datum",
  ])("are not what a sentence goes on with: these pass: %s", (rest) => {
    const text = `${"It is done when the export has read the month, ".repeat(3)}and these pass: ${rest}`;
    expect(removeSecrets(text)).toEqual({ text, found: [] });
  });

  test.each([
    "pass: hunter2x",
    "pass: “hunter2x”",
    "password: “Xk3$9afQ”",
    "Passwort: Schlüsselbund",
    "password=größenwahn",
    'password = "Xk3$9afQ"',
  ])("are found behind the same words: %s", (text) => {
    expect(removeSecrets(text).found).toEqual(["assigned secret"]);
  });

  test("passwords that only their place gives away count only where they are asked for", () => {
    const text = 'password: "Wint3r2024x", key: "AKIAQX7LMNOP2RSTUVW5"';
    expect(removeSecrets(text, { passwords: false })).toEqual({
      text: 'password: "Wint3r2024x", key: "[secret removed]"',
      found: ["AWS access key"],
    });
  });

  test("take linear time to find: a hundred thousand signs would take minutes otherwise", () => {
    const parts = [
      "a",
      "A1",
      "password=",
      "token: ",
      '"+"',
      '"',
      " ",
      "\n",
      "%41",
      "\\x41",
      "://",
      ":a@",
      "eyJ",
      ".",
      "=",
      "Basic ",
      "key=",
      "name: token ",
      "-----BEGIN PRIVATE KEY-----",
      "PuTTY-User-Key-File-2:",
      "login a password ",
      "PASSWORD '",
      "sk-",
      "--",
      "A".repeat(63) + "\n",
      "?sig=",
    ];
    for (const part of parts) {
      const text = part.repeat(100_000 / part.length);
      expect(removeSecrets(`${text}!`).text.length).toBeGreaterThan(0);
    }
  });
});
