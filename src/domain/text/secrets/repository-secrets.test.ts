import { expect, test } from "vitest";
import { removeSecrets } from "./remove-secrets.ts";
import { alsoSecret, withSecrets } from "../../../lib/own-secrets.ts";

const shown = () => removeSecrets("hyacinth-lake and marigold-hill").text;

test("the secrets of a repository count for the work on it, to its end, and for no other", async () => {
  const first = withSecrets(["hyacinth-lake"], async () => {
    await withSecrets(["marigold-hill"], async () => await Promise.resolve());
    return shown();
  });
  const second = withSecrets([], async () => {
    await first;
    alsoSecret(["marigold-hill"]);
    return shown();
  });
  expect(await first).toBe("[secret removed] and [secret removed]");
  expect(await second).toBe("hyacinth-lake and [secret removed]");
  alsoSecret(["hyacinth-lake"]);
  expect(shown()).toBe("hyacinth-lake and marigold-hill");
});

test("short ones count as words of their own, also encoded", async () => {
  await withSecrets(["hunter2"], async () => {
    await Promise.resolve();
    const encoded = Buffer.from("it is hunter2 here").toString("base64");
    expect(removeSecrets(`hunter2000 hunter2, ${encoded}`).text).toBe("hunter2000 [secret removed], [secret removed]");
  });
});
