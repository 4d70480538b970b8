import { expect, test } from "vitest";
import { requireName } from "./person-name.ts";

const BAD = [
  "",
  " ",
  " mia",
  "mia ",
  "@mia",
  "<img>",
  "<img src=x onerror=alert(1)>",
  "a".repeat(61),
  "a".repeat(10_000),
  "mia\n",
  "mia\0",
  "mi\u0007a",
  "mia\u202e",
  "mi\u200ba",
  "mi\u00ada",
  "mia\ufe0f",
  "\u3164",
  "mia\u{e0061}",
  "mi\ud800a",
  "**mia**",
  "[mia](x)",
  "mia/team",
  "m\u0301\u0301\u0301ia",
  "mia\u00a0",
];

const BOTS = [
  "relay",
  "Relay",
  "RELAY",
  "re1ay",
  "reIay",
  "relаy",
  "rеlау",
  "ｒｅｌａｙ",
  "𝓻𝓮𝓵𝓪𝔂",
  "rélay",
  "re-lay",
  "relay-bot",
  "Relay Bot",
  "r.e.l.a.y",
  "re|ay",
];

test.each(BAD)("nobody acts under a name that people cannot read: %j", (name) => {
  expect(() => requireName(name, "relay")).toThrow(
    /^“[^\p{Cc}\p{Cf}]*” cannot be somebody's name: a name has 1 to 60 /u,
  );
});

test.each(BOTS)("nobody acts under a name that looks like Relay's: %s", (name) => {
  expect(() => requireName(name, "relay")).toThrow(/looks like Relay's own name|cannot be somebody's name/);
});

test.each([
  "mia",
  "Mia",
  "anna-lee",
  "anna.lee_2",
  "Ann Lee",
  "O'Neil",
  "Мария",
  "王芳",
  "ひろし",
  "Zoë",
  "अनीता",
  "mia@example.org",
  "replay",
  "relayed",
  "ACME\\mia",
])("people act under their names: %s", (name) => {
  expect(() => requireName(name, "relay")).not.toThrow();
});
