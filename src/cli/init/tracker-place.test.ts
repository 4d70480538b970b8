import { expect, test } from "vitest";
import { placeOfAddress, placeOfRemote } from "./tracker-place.ts";

const github = { tracker: "github", web: "https://github.com", project: "acme/shop" };

test.each([
  ["https://github.com/acme/shop.git", github],
  ["ssh://github.com/acme/shop.git", github],
  ["https://github.com/acme/shop/", github],
  ["https://acme.ghe.com/acme/shop", { ...github, web: "https://acme.ghe.com" }],
  ["ssh://github.example.com:2222/acme/shop", { ...github, web: "https://github.example.com" }],
  [
    "https://gitlab.com/acme/tools/shop.git",
    { tracker: "gitlab", web: "https://gitlab.com", project: "acme/tools/shop" },
  ],
  ["http://git.example.com:8080/acme/shop", { ...github, tracker: null, web: "http://git.example.com:8080" }],
  ["https://github.com/acme", null],
  ["https://github.com/acme/sh%20op", null],
])("the remote %s leads to its tracker", (url, place) => {
  expect(placeOfRemote(url)).toEqual(place);
});

test.each([
  ["https://github.com", null, { ...github, project: null }],
  ["https://github.com/acme/shop", null, github],
  ["https://git.example.com/", "github", { tracker: "github", web: "https://git.example.com", project: null }],
  ["https://example.com/gitlab/", "gitlab", { tracker: "gitlab", web: "https://example.com/gitlab", project: null }],
] as const)("the address %s is that of a tracker, or of a repository there", (url, tracker, place) => {
  expect(placeOfAddress(url, tracker)).toEqual(place);
});

test.each([
  "github.com/acme",
  "file:///srv/shop",
  "https://user:pass@github.com/acme/shop",
  "https://github.com/a/%2e%2e%2f",
])("%s is no address of a tracker", (url) => {
  expect(() => placeOfAddress(url, "github")).toThrow(expect.objectContaining({ code: "usage" }));
});
