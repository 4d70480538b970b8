import { describe, expect, test } from "vitest";
import names from "../../../test/cases/file-names.json" with { type: "json" };
import { protectedPaths } from "./protected-files.ts";

const isProtected = protectedPaths();

describe("files that usually hold secrets are not opened", () => {
  test.each([
    ["by name", ".env .env.local .npmrc .netrc wp-config.php .bash_history config/master.key id_rsa auth.json"],
    ["by format", "a.pem b.p12 c.jks d.kdbx e.tfvars f.ovpn g.keytab prod.env"],
    ["by folder", "secrets/db.json deploy/secrets/stripe .aws/config .ssh/config .kube/config ansible/vault/prod.yml"],
    ["by stem", "k8s/app-secret.yaml my-serviceaccount-key.json deploy_key db-credentials.properties bot-token.txt"],
    [
      "of production",
      "config/production.yml appsettings.Production.json application-prod.properties settings/production.py",
    ],
    ["in other cases", "SECRETS.YML .ENV. Id_RSA"],
  ])("%s", (_, paths) => {
    expect(paths.split(" ").filter((path) => !isProtected(path))).toEqual([]);
  });

  test("code, docs, examples, words and public keys may be read", () => {
    const harmless =
      "src/tokenizer.ts src/password_field.tsx .env.example docs/secrets.md src/secrets/remove.ts lib/credentials.rb id_rsa.pub " +
      "locales/en/password.json tokens.json tokenizer.json config/environments/production.rb webpack.prod.js docker-compose.prod.yml " +
      "secrets.example.json include/secret.h app/views/passwords/new.html.erb .gitignore src/keys/index.ts keymap.json vite-env.d.ts";
    expect(harmless.split(" ").filter(isProtected)).toEqual([]);
  });

  test("the usual names of the field are closed, copies and backups too, and names of code and docs are open", () => {
    expect(names.closed.filter((path) => !isProtected(path))).toEqual([]);
    expect(names.open.filter(isProtected)).toEqual([]);
  });

  test("the repository's own globs decide last", () => {
    const own = protectedPaths(["!config/production.yml", "internal/**"]);
    expect([own("config/production.yml"), own("internal/a.ts"), own("src/a.ts")]).toEqual([false, true, false]);
  });
});
