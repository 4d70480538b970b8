import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const ja: Catalogue<typeof en> = {
  paused:
    "一時停止しました。この課題に対する直近 {{count}} 回の試みが失敗しました。最後のエラー: {{error}}。Relay にアクセスできる方がログを確認し、再開できます。",
  budgetOfIssue: "一時停止しました。この課題の予算を使い切りました。Relay にアクセスできる方が再開できます。",
  budgetOfDay: "一時停止しました。このリポジトリの本日の予算を使い切りました。{{until}} 以降に自動で再開します。",
  budgetOfMonth: "一時停止しました。今月の予算を使い切りました。{{until}} 以降に自動で再開します。",
  specWritten: "仕様書ができました: {{path}}",
  specUpdated: "仕様書を更新しました: {{path}}",
  draftedWithoutModel: "モデルを使わず、規則に基づいて作成しました。",
};
