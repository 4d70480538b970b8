export const en = {
  question: "To go on, I have to know:",
  answer: "An answer here lets the work go on where it stopped.",
  opened: "The change is in {{request}}.",
  no_progress: "I did not finish this: two tries in a row came no further.",
  limit_iterations: "I did not finish this within the number of tries that is allowed for a task.",
  limit_minutes: "I did not finish this within the time that is allowed for a task.",
  limit_money: "I did not finish this within the money that is allowed for a task.",
  failing: "What still fails:",
  nothing_opened: "No pull request was opened. A hint here lets me try again.",
  unusable:
    "The coding agent cannot work at present, so nothing was changed. Whoever runs Relay has to look; then the task can be tried again.",
  failed:
    "The work on this task broke off, and nothing was opened. Whoever runs Relay has to look; then the task can be tried again.",
  setup: "The repository could not be set up for the work:",
  network:
    "It wanted to reach {{hosts}}, which is not allowed here. Whoever runs Relay can allow it in `work.network`.",
  request_closed:
    "{{request}} was closed without being merged, so this is over for me. Assign me again to take it up anew.",
  still_red: "The checks of {{request}} are still red, and I have tried twice. A person has to look.",
  said_elsewhere: "The change is in review; please say there what should be different: {{request}}.",
  conflict:
    "{{request}} conflicts with {{base}}, and I could not bring both together. These files changed on both sides:",
  conflict_left:
    "Nothing was pushed. Please merge {{base}} into {{branch}} and push that; I go on from there. As long as these files stay as they are, I do not try it again.",
};
