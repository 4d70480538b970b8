import { expect, test } from "vitest";
import { routeOf } from "./route.ts";

test("a route has the words of the API, and no name that somebody chose", () => {
  expect(
    [
      "/repos/acme/shop/issues/7/comments",
      "/api/v4/projects/acme%2Fshop/merge_requests/3/discussions/a1b2",
      "/repos/acme/shop/branches/fix%2F7-the-secret-plan",
      "/repos/acme/shop/contents/src%2Fsecret.ts",
      "/repos/acme/shop/issues/7/labels/Our%20Words",
    ].map(routeOf),
  ).toEqual([
    "/repos/{}/{}/issues/{}/comments",
    "/api/v4/projects/{}/merge_requests/{}/discussions/{}",
    "/repos/{}/{}/branches/{}",
    "/repos/{}/{}/contents/{}",
    "/repos/{}/{}/issues/{}/labels/{}",
  ]);
});
