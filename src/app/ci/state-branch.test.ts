import { expect, test } from "vitest";
import { RelayError } from "../../lib/errors.ts";
import { stateRefused, stateUnreadable } from "./state-branch.ts";

test("what keeps a job from its state names the branch and what to do", () => {
  const why =
    "http://git.example/shop.git refused the credential; give one that may write to the repository (HTTP 403)";
  const refused = new RelayError("forbidden", why, { status: 403, accessLost: true });
  expect(stateRefused(refused, "relay/state")).toMatchObject({
    code: "forbidden",
    status: 403,
    accessLost: true,
    message: `the branch relay/state, which keeps Relay's state, cannot be pushed: ${why}`,
  });
  expect(stateUnreadable(new RelayError("invalid", "no whole copy"), "relay/state")).toMatchObject({
    code: "invalid",
    message: expect.stringMatching(/^the branch relay\/state has no state .*; .* delete the branch/),
  });
  const outage = new RelayError("unavailable", "nobody answers");
  expect([stateRefused(outage, "b"), stateUnreadable(outage, "b")]).toEqual([outage, outage]);
});
