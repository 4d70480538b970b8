import { describe, expect, test } from "vitest";
import { readReply, replyVerdict } from "./read-reply.ts";
import { NATURAL_CONSENTS, NATURAL_DOUBTS } from "../../test/cases/replies/natural.ts";
import { cs } from "../../test/cases/replies/cs.ts";
import { da } from "../../test/cases/replies/da.ts";
import { ar } from "../../test/cases/replies/ar.ts";
import { hi } from "../../test/cases/replies/hi.ts";
import { vi } from "../../test/cases/replies/vi.ts";
import { id } from "../../test/cases/replies/id.ts";
import { ro } from "../../test/cases/replies/ro.ts";
import { hu } from "../../test/cases/replies/hu.ts";
import { fi } from "../../test/cases/replies/fi.ts";
import { el } from "../../test/cases/replies/el.ts";
import { de } from "../../test/cases/replies/de.ts";
import { en } from "../../test/cases/replies/en.ts";
import { es } from "../../test/cases/replies/es.ts";
import { fr } from "../../test/cases/replies/fr.ts";
import { it } from "../../test/cases/replies/it.ts";
import { ja } from "../../test/cases/replies/ja.ts";
import { ko } from "../../test/cases/replies/ko.ts";
import { nl } from "../../test/cases/replies/nl.ts";
import { no } from "../../test/cases/replies/no.ts";
import { pl } from "../../test/cases/replies/pl.ts";
import { pt } from "../../test/cases/replies/pt.ts";
import { ru } from "../../test/cases/replies/ru.ts";
import { sv } from "../../test/cases/replies/sv.ts";
import { tr } from "../../test/cases/replies/tr.ts";
import { uk } from "../../test/cases/replies/uk.ts";
import { zh } from "../../test/cases/replies/zh.ts";

const verdictOf = (text: string) => replyVerdict(text).verdict;

describe.each(
  Object.entries({
    de,
    en,
    es,
    fr,
    it,
    ja,
    ko,
    pl,
    pt,
    ru,
    uk,
    zh,
    nl,
    tr,
    cs,
    sv,
    da,
    no,
    ar,
    hi,
    vi,
    id,
    ro,
    hu,
    fi,
    el,
  }),
)("replies in %s", (_, { yes, other }) => {
  test("that agree are affirmative", () => {
    expect(yes.filter((text) => verdictOf(text) !== "affirmative")).toEqual([]);
  });

  test("that do not wholly agree are not", () => {
    expect(other.filter((text) => verdictOf(text) === "affirmative")).toEqual([]);
  });
});

test.each(["yes. Regards, Wait", "yes. Regards, But", "Cheers, no", "yes. Cheers, however"])(
  "a farewell hides no more than a name: %j",
  (text) => {
    expect(verdictOf(text)).not.toBe("affirmative");
  },
);

test.each([
  "der Plan ist",
  "ich bin dabei",
  "так и надо",
  "si funciona",
  "好的我看一下",
  "没问题吧",
  "はいはい",
  "sure sure",
  "no aloita",
  "nu start",
  "aprobat nu",
  "stai start",
  "hai",
])("half a phrase, a remark or a shrug is no yes: %j", (text) => {
  expect(verdictOf(text)).not.toBe("affirmative");
});

test("a natural yes in Persian, Hebrew, Indonesian and Hindi is heard, and nothing less than a yes", () => {
  expect(NATURAL_CONSENTS.filter((text) => readReply(text).kind !== "approve")).toEqual([]);
  expect(NATURAL_DOUBTS.filter((text) => readReply(text).kind === "approve")).toEqual([]);
});
