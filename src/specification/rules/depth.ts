import { anyOf } from "../../domain/issue-text/phrases.ts";
import { sentencesOf } from "../../domain/issue-text/sentences.ts";
import type { Complexity } from "../../domain/spec.ts";
import type { SpecInput } from "../generator.ts";
import { quoted } from "./heard.ts";
import { bullets, numberedTable, section } from "./markdown.ts";
import { phrase, sentence } from "./plain.ts";

/** How it gets to people: by steps, behind a setting, with a default that changes, watched. */
const ROLLOUT = anyOf(
  "roll(?:ed|ing)?[- ]?out|feature[- ]flags?|behind (?:a|the) (?:flag|setting|option)|opt(?:ed)?[- ](?:in|out)|defaults? to|by default|deprecat\\p{L}+|(?:next|following|major|minor) (?:release|version)|gradual\\p{L}*|step by step|in (?:two|three|several) steps|for (?:the )?(?:migration|transition)|metrics?|monitor\\p{L}*|поэтапн\\p{L}*|по умолчанию|устар\\p{L}+|schrittweise|standardmäßig|veralt\\p{L}+|gradualmente|por defecto|obsolet\\p{L}+|progressivement|par défaut|obsolèt\\p{L}+|gradualmente|por padrão|descontinuad\\p{L}+",
  "逐步|分阶段|默认|弃用|段階的|デフォルト|非推奨",
);
/** What catches people who build or use it. */
const TRAP = anyOf(
  "break(?:s|ing)?|broken|careful|beware|caveats?|pitfalls?|race conditions?|deadlocks?|backwards?[- ]compatib\\p{L}*|(?:still |already )?(?:depends?|rel(?:y|ies)) on|ломает\\p{L}*|осторожн\\p{L}*|зависит|bricht|vorsicht|abhängig\\p{L}*|rompe|cuidado|depende\\p{L}*|cass(?:e|er|ent)|attention|dépend\\p{L}*|quebra\\p{L}*",
  "破坏|注意|依赖|壊れ|注意|依存",
);
/** Data or architecture that cannot be taken back. */
const MIGRATION = anyOf(
  "migrat\\p{L}+|backfill\\p{L}*|convert(?:s|ed|ing)? (?:the |all |existing |old )+|existing (?:data|rows|records|files|databases?)|irreversibl\\p{L}+|schema changes?|миграци\\p{L}+|перен(?:ос|ести)\\p{L}*|migrier\\p{L}+|bestehende daten|migra(?:r|ción|ção)\\p{L}*|datos existentes|migr(?:er|ation)\\p{L}*|données existantes|dados existentes",
  "迁移|现有数据|移行|既存データ",
);

/** What people said that the sections of the deepest levels are made of (R-SPEC-5); nothing there is made up. */
interface Depth {
  rollout: string[];
  traps: string[];
  migration: string[];
  alternatives: string[];
}

export function depthOf({ statements, reading }: SpecInput): Depth {
  const said = statements.statements.filter(({ decides, supersededBy }) => decides && supersededBy === null);
  const about = (pattern: RegExp) => said.filter(({ text }) => pattern.test(text)).map((one) => sentence(quoted(one)));
  const considered = reading.sections.filter(({ topic }) => topic === "alternatives").map(({ text }) => text);
  return {
    rollout: about(ROLLOUT),
    traps: about(TRAP),
    migration: about(MIGRATION),
    alternatives: considered
      .flatMap((text) => sentencesOf(text))
      .map(({ text }) => sentence(phrase(text, 300)))
      .filter((text) => text !== "")
      .slice(0, MOST),
  };
}

const MOST = 5;
const ROLLOUT_SECTION = "Observability + Rollout";

/** The deepest level whose sections have something to say. */
export function deepestOf({ rollout, traps, migration, alternatives }: Depth): Complexity {
  if (rollout.length === 0 || traps.length === 0) return "L2";
  return migration.length > 0 && alternatives.length > 0 ? "L4" : "L3";
}

export function deepSections({ rollout, traps, migration, alternatives }: Depth, level: Complexity): string[] {
  if (level !== "L3" && level !== "L4") return [];
  const deep = [
    section(ROLLOUT_SECTION, bullets(rollout.slice(0, MOST))),
    section("Gotchas", bullets(traps.slice(0, MOST))),
  ];
  if (level === "L3") return deep;
  const risks = traps.slice(0, MOST).map((risk) => [risk, ROLLOUT_SECTION]);
  return [
    ...deep,
    section("Migration plan", bullets(migration.slice(0, MOST))),
    section("Risk matrix", numberedTable(["Risk", "Mitigation"], risks)),
    section("Alternatives", bullets(alternatives)),
  ];
}
