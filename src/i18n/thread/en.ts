export const en = {
  paused:
    "I have paused: the last {{count}} attempts at this issue failed. The most recent failure was: {{error}}. Someone with access to Relay can look at the log and resume me.",
  budgetOfIssue: "I have paused: the budget for this issue is used up. Someone with access to Relay can resume me.",
  budgetOfDay: "I have paused: today’s budget for this repository is used up. I will go on by myself after {{until}}.",
  budgetOfMonth: "I have paused: this month’s budget is used up. I will go on by myself after {{until}}.",
  specWritten: "The spec is ready: {{path}}",
  specUpdated: "The spec was updated: {{path}}",
  draftedWithoutModel: "Drafted without a model, by rules.",
};
