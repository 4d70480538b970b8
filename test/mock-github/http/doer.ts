import type { Doer } from "../effects/doer.ts";
import { type Call, loginOf } from "./call.ts";

/** Whoever asks, as the one who does it. */
export function doerOf(call: Call): Doer {
  return { login: loginOf(call), appId: call.actor.kind === "installation" ? call.actor.app.id : null };
}
