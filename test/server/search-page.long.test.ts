import { expect, test } from "vitest";
import { openDashboard } from "../support/dashboard.ts";
import { openLife } from "../support/relay.ts";
import { openLogins } from "../support/tracker-logins.ts";

const SHOP = "repository=shop";

async function opened() {
  const life = await openLife(() => ({}), 20, {
    "src/coupon.ts": `export function coupon(code) {\n  // <script>alert(1)</script> coupon\n  return "ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)} coupon";\n}\n`,
  });
  const dashboard = await openDashboard(life);
  const session = await dashboard.logIn();
  const look = async (path: string) => {
    const answer = await dashboard.get(path, session);
    return { status: answer.status, text: await answer.text() };
  };
  return { ...dashboard, look };
}

test("words lead to the files, lines and functions of a repository's code, with reasons; nothing to what is not there", async () => {
  const { look } = await opened();
  const { status, text } = await look(`/search?q=cart+is+empty&${SHOP}`);
  expect(status).toBe(200);
  expect(text).toContain("src/cart.ts");
  expect(text).toMatch(/line 2<\/code>(?:<\/a>)?, function total, lines \d+-\d+/);
  expect(text).toContain("cart is empty");
  expect((await look(`/search?q=zzzqqq&${SHOP}`)).text).toContain("Nothing found");
});

test("what the code says stands there as text, without secrets", async () => {
  const { look } = await opened();
  const { text } = await look(`/search?q=coupon&${SHOP}`);
  expect(text).toContain("src/coupon.ts");
  expect(text).not.toContain("<script>alert");
  expect(text).not.toContain("a1B2c3D4");
});

test("a repository that Relay does not know, odd words and no words are answered with a page", async () => {
  const { look } = await opened();
  expect((await look("/search?q=cart&repository=acme/other")).status).toBe(404);
  for (const odd of [
    "",
    "q=",
    "q=%00",
    "q=%ED%A0%80&repository=shop",
    `q=${"x".repeat(5_000)}&${SHOP}`,
    "repository=%00&q=a",
  ]) {
    expect((await look(`/search?${odd}`)).status).toBeLessThan(500);
  }
  expect((await look("/issues?q=cart")).text).toContain('href="/search?q=cart"');
});

test("nobody searches, or is told of, a repository that they may not see (R-SAFE-4)", async () => {
  const { logInAs, open, life } = await openLogins();
  await logInAs("ann");
  const { rows } = await life.db.executeSql("select external_project_id as name from repositories");
  expect(rows).toContainEqual({ name: "shop" });
  const answer = await open(`/search?q=cart&${SHOP}`);
  expect(answer.status).toBe(404);
  expect(await (await open("/search?q=cart")).text()).not.toContain("<option >shop");
});
