import { expect, test } from "vitest";
import { loadConfig } from "./config.ts";
import { settingsInForce } from "./settings-in-force.ts";

test("each setting in force names where it comes from; secrets are not told", () => {
  const env = {
    RELAY_CONFIG: undefined,
    RELAY_CONCURRENCY: "3",
    DATABASE_URL: "postgres://relay:hunter2@db.example/relay",
    RELAY_MODEL_BASE_URL: "http://me:hunter2@models.example/v1",
  };
  const config = { ...loadConfig(undefined, env), log_level: "debug" as const };
  const settings = settingsInForce(config, undefined, env);
  const of = (key: string) => settings.find((one) => one.key === key);
  expect(of("concurrency")).toEqual({ key: "concurrency", value: "3", from: "RELAY_CONCURRENCY" });
  expect(of("database_url")).toEqual({ key: "database_url", value: "set", from: "DATABASE_URL" });
  expect(of("log_level")?.from).toBe("command line");
  expect(of("server.port")?.from).toBe("default");
  expect(JSON.stringify(settings)).not.toContain("hunter2");
});
