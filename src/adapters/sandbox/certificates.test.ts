import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CERTIFICATE, KEY } from "../../../test/support/tls.ts";
import { certificateBundle, readCertificates } from "./certificates.ts";

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "relay-certificates-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test("certificates are taken of files and folders, each once, with nothing else that stands there", async () => {
  const folder = folderOf({ "a.pem": `Subject: tests\n${CERTIFICATE}`, "b.0": CERTIFICATE, "README.md": "of ours" });
  mkdirSync(join(folder, "below"));
  const found = await readCertificates([
    { path: join(folder, "a.pem"), from: "NODE_EXTRA_CA_CERTS" },
    { path: folder, from: "SSL_CERT_DIR" },
  ]);
  expect(found).toEqual({ named: [CERTIFICATE.trim()], problems: [] });
  const bundle = await certificateBundle(found.named);
  expect(bundle.startsWith(CERTIFICATE)).toBe(true);
  expect(bundle.split("BEGIN CERTIFICATE").length).toBeGreaterThan(50);
  expect(bundle).not.toContain("Subject");
});

test.each([
  ["a private key", `${CERTIFICATE}${KEY}`],
  ["an encrypted one", `${CERTIFICATE}${KEY.replaceAll("PRIVATE KEY", "ENCRYPTED PRIVATE KEY")}`],
  ["one of RSA", `${KEY.replaceAll("PRIVATE KEY", "RSA PRIVATE KEY")}${CERTIFICATE}`],
])("a file with %s is left out whole, and named", async (_, text) => {
  const path = join(folderOf({ "ca.pem": text }), "ca.pem");
  const { named, problems } = await readCertificates([{ path, from: "SSL_CERT_FILE" }]);
  expect(named).toEqual([]);
  expect(problems.join()).toMatch(/ca\.pem \(SSL_CERT_FILE\) has a private key/);
});

test("what holds no certificate is named: another form, a broken one, no file", async () => {
  const folder = folderOf({ "ca.p12": "\u0000\u0001", "ca.pem": CERTIFICATE.replace("MIIB", "AAAA") });
  const paths = ["ca.p12", "ca.pem", "none.pem"].map((name) => ({ path: join(folder, name), from: "PIP_CERT" }));
  const { named, problems } = await readCertificates(paths);
  expect(named).toEqual([]);
  expect(problems.map((line) => /ca\.p12.*PEM|ca\.pem.*PEM|none\.pem.*cannot be read/.test(line))).toEqual([
    true,
    true,
    true,
  ]);
});
