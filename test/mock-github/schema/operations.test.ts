import { describe, expect, test } from "vitest";
import { routes } from "../routes/routes.ts";
import { description, findOperation } from "./operations.ts";
import { OPERATIONS } from "./wanted.ts";

describe("the published description", () => {
  test("has every operation that the mock answers, and the mock answers every one that is in it", () => {
    const described = Object.keys(description.operations).toSorted();
    expect(OPERATIONS.toSorted()).toEqual(described);
    expect(Object.keys(routes).toSorted()).toEqual(described);
    expect(description.source).toMatch(/^@octokit\/openapi \d+\.\d+\.\d+/);
  });

  test.each([
    ["GET", "/repos/a/b/issues/comments/5", "issues/get-comment"],
    ["GET", "/repos/a/b/issues/5/comments", "issues/list-comments"],
    ["GET", "/repos/a/b/issues/comments", "issues/list-comments-for-repo"],
    ["GET", "/repos/a/b/branches/feature/x", "repos/get-branch"],
    ["GET", "/repos/a/b/collaborators/ann/permission", "repos/get-collaborator-permission-level"],
    ["DELETE", "/repos/a/b/issues/5/labels/a%2Fb", "issues/remove-label"],
    ["GET", "/repos/a/b/contents/docs/a.md", "repos/get-content"],
  ])("%s %s is %s", (method, path, id) => {
    expect(findOperation(method, path)?.operation.id).toBe(id);
  });
});
