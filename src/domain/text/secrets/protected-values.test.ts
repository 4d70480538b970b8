import { expect, test } from "vitest";
import { protectedValuesIn } from "./protected-values.ts";

const valuesIn = (text: string) => protectedValuesIn(text).map(({ value }) => value);

test.each([
  ["NODE_ENV=development", "PORT=8080", "DEBUG=true", "DB_HOST=localhost", "DB_NAME=inventory_service_v2"],
  ["PASSWORD=changeme", "TOKEN=xxxxxxxxxxxx", "SECRET=${VAULT_SECRET}", "API_KEY=your-api-key", "TOKEN={{ token }}"],
  ["GIT_SHA=3f2a1b9c4d5e6f708192a3b4c5d6e7f801234567", "RELEASED=2026-11-23T10:00:00Z", "PARTITION_KEY=organizationId"],
  ["URL=https://github.com/acme/shop2go4u", "MAIL_FROM=Our shop <shop@example.org>", "# The first token is the one."],
  ["TOKEN_ISSUER=acme-identity-service", "SECRET_FILE=/run/secrets/db_password", "HASHER=django.auth.PasswordHasher"],
])("settings, placeholders, words and names are no secrets: %s", (...lines) => {
  expect(valuesIn(lines.join("\n"))).toEqual([]);
});

test.each([
  ["DB_PASSWORD=hunter2", "hunter2"],
  ["export JWT_SECRET='mysupersecretjwtkey'", "mysupersecretjwtkey"],
  ['PASSPHRASE="correct horse battery staple"', "correct horse battery staple"],
  ["ANYTHING=kx7Qp2mVz9", "kx7Qp2mVz9"],
  ["REDIS=redis://:pLm83kdXQ@cache:6379/0", "pLm83kdXQ"],
  ["HOOK=https://hooks.example.org/in/aB3dE5fG7hJ9kL1mN3pQ5rS7", "aB3dE5fG7hJ9kL1mN3pQ5rS7"],
  ["c4c7a3f2a590233755e40eca18c62d71\n", "c4c7a3f2a590233755e40eca18c62d71"],
  ['{"auths": {"ghcr.io": {"auth": "YWNtZTpwOVg3a3ExZQ=="}}}', "YWNtZTpwOVg3a3ExZQ=="],
  ["stringData:\n  stripe: Nq83hd7sQ2mVz9kx\n", "Nq83hd7sQ2mVz9kx"],
])("what looks drawn at random, or is called a secret, is one: %s", (text, value) => {
  expect(valuesIn(text)).toContain(value);
});

test("what could be a name of the code counts only where no other file has it", () => {
  const text = "IMAGE=node20alpine3\nADMIN_PASSWORD=sunflowergarden\nAPI_KEY=abc123def456ghi789\n";
  expect(Object.fromEntries(protectedValuesIn(text).map(({ value, certainty }) => [value, certainty]))).toEqual({
    abc123def456ghi789: "secret",
    node20alpine3: "maybe",
    sunflowergarden: "maybe",
  });
});
