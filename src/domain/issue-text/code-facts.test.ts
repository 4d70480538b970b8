import { expect, test } from "vitest";
import { readIssue } from "./issue-reading.ts";

const BODY = `See https://github.com/acme/shop/blob/main/src/cart.ts#L10-L20 and src/mail/send.ts:7, also \`lib/round.js\`
or C:\\work\\app.py line 3. The \`Cart.total()\` call of cartTotal uses max_items and \`a::b\`, e.g. Node.js 18.17.1.

It says "Cannot price an empty cart" on v2.3.0-beta.1 and left-pad@1.3.0 at 127.0.0.1, 1.5 MB.
Run \`npm run build -- --watch\` with \`MAX_ITEMS\` and \`server.port\`; \`POST /api/carts/{id}\` fails.

\`\`\`sh
$ shopctl start
git push origin main
\`\`\`
`;

const { facts } = readIssue({ title: "total of cart", body: BODY, labels: [] });

test("places are paths, with lines from links and text", () => {
  expect(facts.places).toEqual([
    { path: "src/cart.ts", line: 10, endLine: 20 },
    { path: "src/mail/send.ts", line: 7, endLine: null },
    { path: "lib/round.js", line: null, endLine: null },
    { path: "C:/work/app.py", line: 3, endLine: null },
  ]);
});

test("symbols are named as written, without brackets", () => {
  expect(facts.symbols).toEqual(expect.arrayContaining(["Cart.total", "cartTotal", "max_items", "a::b", "MAX_ITEMS"]));
  expect(facts.symbols).not.toContain("Node.js");
});

test("a method of Go is one in a profile, a trace and a report of races", () => {
  const body = "1.44GB 76.6%  example.org/dropbin/internal/limit.(*Limiter).Allow\n\nmain.(*Cart).Total(0xc000)";
  const { symbols } = readIssue({ title: "Leak", body: `\`\`\`\n${body}\n\`\`\`\n`, labels: [] }).facts;
  expect(symbols).toEqual(["Limiter.Allow", "Cart.Total"]);
});

test("the beginning of a host or of a longer name is no symbol", () => {
  const body = "Why is it cargo.example.org/my-page/page.pdf, and not anything in shop.cart.total-rounded?";
  expect(readIssue({ title: "Links", body, labels: [] }).facts.symbols).toEqual([]);
});

test("messages, versions, commands, keys, routes and addresses", () => {
  expect(facts.messages).toEqual(["Cannot price an empty cart"]);
  expect(facts.versions).toEqual(["18.17.1", "2.3.0-beta.1", "1.3.0"]);
  expect(facts.commands).toEqual(["npm run build -- --watch", "git push origin main"]);
  expect(facts.configKeys).toEqual(["MAX_ITEMS", "server.port"]);
  expect(facts.routes).toEqual(["POST /api/carts/{id}"]);
  expect(facts.urls).toEqual(["https://github.com/acme/shop/blob/main/src/cart.ts#L10-L20"]);
});
