import { expect, test } from "vitest";
import { graphqlAddress } from "./graphql.ts";
import { apiAddress, appSettings, webAddress } from "./web-pages.ts";

test.each([
  ["https://api.github.com", "https://github.com", "https://api.github.com/graphql"],
  ["https://api.acme.ghe.com", "https://acme.ghe.com", "https://api.acme.ghe.com/graphql"],
  ["https://ghe.example/api/v3", "https://ghe.example", "https://ghe.example/api/graphql"],
  ["https://ghe.example:8443/git/api/v3", "https://ghe.example:8443/git", "https://ghe.example:8443/git/api/graphql"],
])("what belongs to the API at %s is found", (api, web, graphql) => {
  expect(webAddress(api)).toBe(web);
  expect(apiAddress(web)).toBe(api);
  expect(graphqlAddress(api)).toBe(graphql);
});

test("an App's settings are with its owner", () => {
  const web = "https://github.com";
  const app = { slug: "relay", owner: { login: "ann", type: "User" } };
  expect(appSettings(web, app)).toBe("https://github.com/settings/apps/relay");
  expect(appSettings(web, { ...app, owner: { login: "acme", type: "Organization" } })).toBe(
    "https://github.com/organizations/acme/settings/apps/relay",
  );
});
