import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const ja: Catalogue<typeof en> = {
  question: "続けるために、次のことを教えてください：",
  answer: "ここで回答があれば、止まったところから作業を続けます。",
  opened: "変更は {{request}} にあります。",
  no_progress: "完了できませんでした。2 回続けて進展がありませんでした。",
  limit_iterations: "許された試行回数の中で完了できませんでした。",
  limit_minutes: "許された時間の中で完了できませんでした。",
  limit_money: "許された費用の中で完了できませんでした。",
  failing: "まだ失敗しているもの：",
  nothing_opened: "プルリクエストは開いていません。ここにヒントがあれば、もう一度試します。",
  unusable:
    "コーディングエージェントが今は動かないため、何も変更していません。Relay を運用している人の確認が必要です。その後でもう一度試せます。",
  failed:
    "この作業は途中で止まり、何も開いていません。Relay を運用している人の確認が必要です。その後でもう一度試せます。",
  setup: "作業のためのリポジトリの準備ができませんでした：",
  network:
    "{{hosts}} への接続が必要でしたが、ここでは許可されていません。Relay の運用者が `work.network` で許可できます。",
  request_closed:
    "{{request}} はマージされずに閉じられたので、ここで終わります。もう一度割り当てれば、最初から始めます。",
  still_red: "{{request}} のチェックはまだ失敗しています。2 回試しました。人の確認が必要です。",
  said_elsewhere: "変更はレビュー中です。変えてほしいことはそちらに書いてください：{{request}}。",
  conflict: "{{request}} は {{base}} と競合しており、両方をまとめられませんでした。双方で変更されたファイル：",
  conflict_left:
    "何もプッシュしていません。{{base}} を {{branch}} にマージしてプッシュしてください。そこから続けます。これらのファイルが変わらない限り、再試行はしません。",
};
