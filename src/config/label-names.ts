import { z } from "zod";
import { type StateLabels, STATE_LABELS } from "../domain/state-labels.ts";

const name = (key: keyof StateLabels, meaning: string) =>
  z
    .string()
    .max(50, { error: "must have at most 50 characters, as on GitHub" })
    .regex(/^(?:[^\s,\p{C}](?:[^,\p{C}]*[^\s,\p{C}])?)?$/u, {
      error: "must be the name of a label, without commas (GitLab) and spaces around it; empty for no label",
    })
    .refine((label) => label !== "." && label !== "..", { error: "cannot be the name of a label" })
    .default(STATE_LABELS[key])
    .meta({
      description: `Label of issues ${meaning}; empty for no label (RELAY_LABEL_${key.toUpperCase()}, where \`off\` stands for none).`,
    });

/** Names of the labels that mirror an issue's state in its tracker: keys of `relay.yaml` (R-LIFE-5). */
export const labelNames = z
  .strictObject({
    in_progress: name("in_progress", "whose plan is approved, while it is carried out"),
    stuck: name("stuck", "for which Relay needs help"),
    review: name("review", "with an open pull request"),
    done: name("done", "that are done"),
  })
  .prefault({});
