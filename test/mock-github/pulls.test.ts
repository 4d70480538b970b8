import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { asking, SEED } from "./asking.ts";
import { type MockGithub, startMockGithub } from "./server.ts";

let mock: MockGithub;
const PULLS = "/repos/acme/shop/pulls";
const WANTED = { title: "Pay once", head: "feature/pay", base: "main", body: "Closes #1", draft: true };

beforeEach(async () => {
  mock = await startMockGithub({ seed: SEED, checkAnswers: true });
});

afterEach(async () => {
  await mock.close();
  if (mock.mistakes.length > 0) throw new Error(`the mock is wrong: ${mock.mistakes.join("; ")}`);
  if (mock.violations.length > 0) throw new Error(`the test is wrong: ${mock.violations.join("; ")}`);
});

describe("pull requests", () => {
  test("are opened once for a branch, and not for one that is missing or has nothing new", async () => {
    const relay = asking(mock, "t-relay");
    const head = (name: string) => relay("POST", PULLS, { ...WANTED, head: name });
    expect(await head("nothing")).toMatchObject({
      status: 422,
      body: { errors: [{ resource: "PullRequest", field: "head", code: "invalid" }] },
    });
    expect(await head("main")).toMatchObject({
      status: 422,
      body: { errors: [{ code: "custom", message: "No commits between main and main" }] },
    });
    expect(await head("feature/pay")).toMatchObject({
      status: 201,
      body: { number: 2, draft: true, state: "open", merged: false },
    });
    expect(await head("acme:feature/pay")).toMatchObject({
      status: 422,
      body: { errors: [{ code: "custom", message: "A pull request already exists for acme:feature/pay." }] },
    });
    expect((await relay("GET", `${PULLS}?head=acme:feature/pay&state=open`)).list).toMatchObject([{ number: 2 }]);
    expect((await relay("GET", `${PULLS}?head=acme:other`)).list).toEqual([]);
    expect((await relay("GET", "/repos/acme/shop/issues/2")).body).toHaveProperty("pull_request");
    expect((await asking(mock, "t-eve")("PATCH", `${PULLS}/2`, { title: "Mine" })).status).toBe(403);
  });

  test("change by REST, but for being drafts, which takes GraphQL", async () => {
    const relay = asking(mock, "t-relay");
    const { body } = await relay("POST", PULLS, WANTED);
    expect((await relay("PATCH", `${PULLS}/2`, { title: "Pay", state: "closed" })).body).toMatchObject({
      title: "Pay",
      state: "closed",
      draft: true,
    });
    await relay("PATCH", `${PULLS}/2`, { state: "open" });
    const query =
      "mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }";
    const ready = await relay("POST", "/graphql", { query, variables: { id: body["node_id"] } });
    expect(ready.body).toMatchObject({ data: { markPullRequestReadyForReview: { pullRequest: { isDraft: false } } } });
    expect((await relay("GET", `${PULLS}/2`)).body).toMatchObject({ draft: false });
    const back = `mutation { convertPullRequestToDraft(input: {pullRequestId: "${String(body["node_id"])}"}) { clientMutationId } }`;
    await relay("POST", "/graphql", { query: back });
    expect((await relay("GET", `${PULLS}/2`)).body).toMatchObject({ draft: true });
    const wrong = await relay("POST", "/graphql", { query, variables: { id: "PR_x" } });
    expect(wrong).toMatchObject({ status: 200, body: { errors: [{ type: "NOT_FOUND" }] } });
  });

  test("reviews are asked of collaborators only", async () => {
    const relay = asking(mock, "t-relay");
    await relay("POST", PULLS, WANTED);
    const ask = (...reviewers: string[]) => relay("POST", `${PULLS}/2/requested_reviewers`, { reviewers });
    expect(await ask("ann")).toMatchObject({ status: 201, body: { requested_reviewers: [{ login: "ann" }] } });
    expect(await ask("eve")).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^Reviews may only/) },
    });
    expect((await ask("relay")).status).toBe(422);
    expect((await relay("GET", `${PULLS}/2/requested_reviewers`)).body).toMatchObject({ users: [{ login: "ann" }] });
  });

  test("review comments are answered in their thread, which has one level", async () => {
    const relay = asking(mock, "t-relay");
    await relay("POST", PULLS, WANTED);
    const here = { as: "ann", repo: "acme/shop", number: 2 } as const;
    const { comment } = mock.act({ do: "review_comment", ...here, body: "Why?" });
    const reply = await relay("POST", `${PULLS}/2/comments/${comment}/replies`, { body: "Because." });
    expect(reply).toMatchObject({ status: 201, body: { in_reply_to_id: comment } });
    expect((await relay("POST", `${PULLS}/2/comments/${String(reply.body["id"])}/replies`, { body: "!" })).status).toBe(
      404,
    );
    expect((await relay("GET", `${PULLS}/2/comments`)).list.map((each) => each["body"])).toEqual(["Why?", "Because."]);
    expect(
      (await relay("POST", `${PULLS.slice(0, -5)}pulls/comments/${comment}/reactions`, { content: "eyes" })).status,
    ).toBe(201);
    mock.act({ do: "review", ...here, state: "APPROVED", body: "Good" });
    mock.act({ do: "merge", ...here });
    expect((await relay("GET", `${PULLS}/2/reviews`)).list).toMatchObject([{ state: "APPROVED" }]);
    expect((await relay("GET", `${PULLS}/2`)).body).toMatchObject({
      merged: true,
      state: "closed",
      merged_by: { login: "ann" },
    });
  });
});

describe("repositories", () => {
  test("branches may have slashes, written as they are or encoded", async () => {
    const relay = asking(mock, "t-relay");
    const at = "/repos/acme/shop/branches";
    expect((await relay("GET", `${at}/feature/pay`)).body).toMatchObject({ name: "feature/pay" });
    expect((await relay("GET", `${at}/feature%2Fpay`)).body).toMatchObject({ name: "feature/pay" });
    expect(await relay("GET", `${at}/feature`)).toMatchObject({ status: 404, body: { message: "Branch not found" } });
    expect((await relay("GET", at)).list).toHaveLength(2);
    expect((await relay("GET", "/repos/acme/shop/git/ref/heads/feature/pay")).status).toBe(200);
    expect((await relay("GET", "/repos/ACME/Shop")).body).toMatchObject({
      default_branch: "main",
      permissions: { push: true },
    });
  });

  test("a repository that has another name is led to by the old one; an archived one takes nothing", async () => {
    const relay = asking(mock, "t-relay");
    mock.act({ do: "rename_repository", as: "ann", repo: "acme/shop", name: "store" });
    const moved = await relay("GET", "/repos/acme/shop/issues/1/comments?per_page=5");
    expect(moved).toMatchObject({ status: 301, body: { message: "Moved Permanently" } });
    expect((await relay("GET", moved.headers.get("location") ?? "")).list).toMatchObject([{ body: "Me too" }]);
    mock.world.repository("acme/store").archived = true;
    const refused = await relay("POST", "/repos/acme/store/issues/1/comments", { body: "Hi" });
    expect(refused).toMatchObject({ status: 403, body: { message: "Repository was archived so is read-only." } });
    expect((await relay("GET", "/repos/acme/store/issues/1")).status).toBe(200);
  });

  test("files are base64, or raw for who asks so; folders are lists", async () => {
    const relay = asking(mock, "t-relay");
    const at = "/repos/acme/shop/contents";
    const file = await relay("GET", `${at}/README.md`);
    expect(Buffer.from(String(file.body["content"]), "base64").toString()).toBe("# Shop\n");
    const raw = { accept: "application/vnd.github.raw+json" };
    expect((await relay("GET", `${at}/.github/CODEOWNERS`, undefined, raw)).text).toBe("* @ann\n");
    expect((await relay("GET", `${at}/.github`)).list).toMatchObject([{ name: "CODEOWNERS", type: "file" }]);
    expect((await relay("GET", `${at}/nothing`)).status).toBe(404);
    const write = { do: "write_file", as: "ann", repo: "acme/shop", branch: "feature/pay", path: "README.md" } as const;
    mock.act({ ...write, content: "# Pay\n" });
    expect((await relay("GET", `${at}/README.md?ref=feature/pay`, undefined, raw)).text).toBe("# Pay\n");
    expect((await relay("GET", `${at}/README.md`, undefined, raw)).text).toBe("# Shop\n");
    expect((await relay("GET", `${at}/README.md?ref=other`)).status).toBe(404);
  });

  test("a stranger has read on a public repository and none on a private one; the old word for triage is read", async () => {
    const ann = asking(mock, "t-ann");
    const role = async (repository: string, login: string) =>
      (await ann("GET", `/repos/acme/${repository}/collaborators/${login}/permission`)).body;
    expect(await role("shop", "bob")).toMatchObject({ permission: "read", role_name: "triage" });
    expect(await role("shop", "eve")).toMatchObject({ permission: "read", role_name: "read" });
    expect(await role("vault", "eve")).toMatchObject({ permission: "none" });
    mock.act({ do: "permit", repo: "acme/shop", login: "eve", role: "maintain" });
    expect(await role("shop", "eve")).toMatchObject({ permission: "write", role_name: "maintain" });
    expect(await role("shop", "nobody-at-all")).toMatchObject({ message: "nobody-at-all is not a user" });
    expect((await ann("GET", "/repos/acme/shop/collaborators")).list).toHaveLength(4);
    expect((await ann("GET", "/repos/acme/shop/collaborators/bob")).status).toBe(204);
    const bob = mock.plant({ tokens: [{ token: "t-bob", login: "bob" }] }) && asking(mock, "t-bob");
    expect((await bob("GET", "/repos/acme/shop/collaborators/ann/permission")).status).toBe(403);
    expect((await bob("GET", "/repos/acme/shop/hooks")).status).toBe(404);
  });
});
