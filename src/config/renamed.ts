/** Keys of `relay.yaml` that have a new name. The old one is refused, and the error names the new one. */
export const RENAMED_KEYS: Record<string, string> = {
  "confirm.people": "approval.people",
  "confirm.thumbs_up": "approval.thumbs_up",
  "confirm.quick": "approval.fast_track",
  "bot.heed_bots": "bot.respond_to_bots",
};

/** The same for keys of `.relay.yml`. */
export const RENAMED_REPOSITORY_KEYS: Record<string, string> = { quick: "fast_track" };

/** The same for environment variables. */
export const RENAMED_VARIABLES: Record<string, string> = {
  RELAY_CONFIRM_PEOPLE: "RELAY_APPROVAL_PEOPLE",
  RELAY_CONFIRM_THUMBS_UP: "RELAY_APPROVAL_THUMBS_UP",
  RELAY_CONFIRM_QUICK: "RELAY_APPROVAL_FAST_TRACK",
  BOT_HEED_BOTS: "BOT_RESPOND_TO_BOTS",
};
