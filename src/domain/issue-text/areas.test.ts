import { expect, test } from "vitest";
import { readIssue } from "./issue-reading.ts";

function areas(title: string, body = "", labels: string[] = []) {
  return readIssue({ title, body, labels }).areas;
}

test("the parts of the code in front of a title are its areas", () => {
  expect(areas("[Tooltip][TextField] Focus is lost").inTitle).toEqual(["Tooltip", "TextField"]);
  expect(areas("[Card, Paper] Support outlines").inTitle).toEqual(["Card", "Paper"]);
  expect(areas("fix(router): wrong redirect").inTitle).toEqual(["router"]);
  expect(areas("net/http: server leaks a connection").inTitle).toEqual(["net/http"]);
  expect(areas("IcebergConnector: Handle null").inTitle).toEqual(["IcebergConnector"]);
});

test("marks of kind, release or error are no areas", () => {
  expect(areas("[Bug] It fails").inTitle).toEqual([]);
  expect(areas("Bug: it fails").inTitle).toEqual([]);
  expect(areas("[1.0.0] [v5] Cookies are lost").inTitle).toEqual([]);
  expect(areas("TypeError: x is not a function").inTitle).toEqual([]);
  expect(areas("java.lang.NumberFormatException: For input").inTitle).toEqual([]);
  expect(areas("Why does this fail: no idea").inTitle).toEqual([]);
});

test("labels and the answers of a form name areas", () => {
  expect(areas("It fails", "", ["area: router", "pkg/forms", "bug", "good first issue"]).elsewhere).toEqual([
    "router",
    "forms",
  ]);
  const form = "### Which @acme/* package(s) are the source of the bug?\n\ncore, forms\n\n### Description\n\nIt fails.";
  expect(areas("It fails", form).elsewhere).toEqual(["core", "forms"]);
});

test("code that lists the environment is not searched for", () => {
  const dump =
    "System:\n  OS: macOS 10.15.7\nBinaries:\n  Node: 14.16.0 - /usr/bin/node\nnpmPackages:\n  react: ^17.0.2";
  const body = `It fails.\n\n\`\`\`js\nrender(<Tabs />);\n\`\`\`\n\n\`\`\`\n${dump}\n\`\`\`\n`;
  expect(readIssue({ title: "It fails", body, labels: [] }).code.trim()).toBe("render(<Tabs />);");
  const manifest = '```toml\n[dependencies]\ntokio = "1.2.3"\nbytes = "1.0.0"\nserde = "1.0.1"\n```';
  expect(readIssue({ title: "It fails", body: manifest, labels: [] }).code).toContain("tokio");
});
