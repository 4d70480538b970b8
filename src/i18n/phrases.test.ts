import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { phrases, WRITTEN_LANGUAGES } from "./phrases.ts";

const folder = join(import.meta.dirname, "locales");

/** Every phrase of a language, as `catalogue.key` and its text. */
function entriesOf(language: string): [string, string][] {
  const text = readFileSync(join(folder, `${language}.json`), "utf8");
  const catalogues = z.record(z.string(), z.record(z.string(), z.string())).parse(JSON.parse(text));
  return Object.entries(catalogues).flatMap(([catalogue, entries]) =>
    Object.entries(entries).map(([key, phrase]): [string, string] => [`${catalogue}.${key}`, phrase]),
  );
}

function slotsOf(phrase: string): string[] {
  return [...phrase.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "").toSorted();
}

const english = entriesOf("en");

describe("the phrases", () => {
  test("are one file for each written language", () => {
    expect(readdirSync(folder).toSorted()).toEqual(WRITTEN_LANGUAGES.map((language) => `${language}.json`).toSorted());
  });

  test.each(WRITTEN_LANGUAGES)("in %s have every English key, in the same order, and none empty", (language) => {
    const entries = entriesOf(language);
    const plural = /_(?:zero|one|two|few|many)$/;
    expect(entries.map(([key]) => key).filter((key) => !plural.test(key))).toEqual(english.map(([key]) => key));
    expect(entries.filter(([, phrase]) => phrase.trim() === "")).toEqual([]);
  });

  test.each(WRITTEN_LANGUAGES)("in %s have the placeholders of the English ones", (language) => {
    const slots = new Map(english.map(([key, phrase]) => [key, slotsOf(phrase)]));
    for (const [key, phrase] of entriesOf(language)) {
      const base = key.replace(/_(?:zero|one|two|few|many)$/, "");
      expect({ key, slots: slotsOf(phrase) }).toEqual({ key, slots: slots.get(key) ?? slots.get(base) });
    }
  });

  test.each(WRITTEN_LANGUAGES)("in %s name no pull request where trackers have merge requests", (language) => {
    for (const key of ["started", "waits", "draft", "request_stays"] as const) {
      const request = "a pull request, as Ann said";
      const said = phrases("plan", language, "merge request")(key, { request }).replace(request, "");
      expect(said).not.toMatch(/pull request|пул-реквест|拉取请求|プルリクエスト/i);
      expect(said).toMatch(/merge request|запрос\S* на слияние|合并请求|マージリクエスト/i);
    }
    const named = "a pull request";
    expect(phrases("plan", language, "merge request")("request_stays", { request: named })).toContain(named);
    expect(phrases("status", language, "merge request")("request", { request: "!1" })).not.toMatch(
      /pull request|Пул-реквест|拉取请求|プルリクエスト/i,
    );
  });

  test("keep Markdown and mentions in what fills them", () => {
    expect(phrases("status", "en")("merged", { request: "<a> & `b` $t(failed) {{c}}" })).toContain(
      "<a> & `b` $t(failed) {{c}}",
    );
  });

  test.each(WRITTEN_LANGUAGES)(
    "in %s leave an address alone, so that trackers link it and nothing else",
    (language) => {
      const request = "https://git.example/o/r/pull/7";
      for (const said of [
        phrases("work", language)("said_elsewhere", { request }),
        phrases("work", language)("still_red", { request }),
        phrases("plan", language)("request_stays", { request }),
        phrases("spec", language)("problem_see", { text: request }),
      ]) {
        expect(said).toMatch(/(?:^|\s)https:\/\/git\.example\/o\/r\/pull\/7(?:[.,:]?(?:\s|$))/);
      }
    },
  );

  test("put no space between two words of a script that has none", () => {
    expect(phrases("spec", "zh")("task_fix", { place: "「合计」" })).toBe("修复「合计」");
    expect(phrases("spec", "zh")("task_fix", { place: "`total`" })).toBe("修复 `total`");
    expect(phrases("spec", "ja")("task_fix", { place: "「合計」" })).toBe("「合計」を直す");
    // What people wrote keeps its spaces.
    expect(phrases("spec", "ja")("task_fix", { place: "「合 計」" })).toBe("「合 計」を直す");
  });

  test("are English where Relay does not write the language, and of the language in its regions", () => {
    expect(phrases("plan", "uk")("steps")).toBe(phrases("plan", "en")("steps"));
    expect(phrases("plan", "de")("steps")).not.toBe(phrases("plan", "en")("steps"));
  });
});
