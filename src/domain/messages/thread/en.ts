export const en = {
  paused:
    "I have paused: the last {{count}} attempts at this issue failed. The most recent failure was: {{error}}. Someone with access to Relay can look at the log and resume me.",
  specWritten: "The spec is ready: {{path}}",
  specUpdated: "The spec was updated: {{path}}",
  draftedWithoutModel: "Drafted without a model, by rules.",
};
