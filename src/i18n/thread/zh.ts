import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const zh: Catalogue<typeof en> = {
  paused:
    "我已暂停：此问题最近 {{count}} 次尝试均失败。最近一次失败是：{{error}}。有 Relay 访问权限的人可以查看日志并让我继续。",
  budgetOfIssue: "我已暂停：此问题的预算已用完。有 Relay 访问权限的人可以让我继续。",
  budgetOfDay: "我已暂停：此仓库今天的预算已用完。{{until}} 之后我会自动继续。",
  budgetOfMonth: "我已暂停：本月的预算已用完。{{until}} 之后我会自动继续。",
  specWritten: "规格说明已就绪：{{path}}",
  specUpdated: "规格说明已更新：{{path}}",
  draftedWithoutModel: "未使用模型，按规则起草。",
};
