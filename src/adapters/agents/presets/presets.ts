import type { Preset } from "../preset.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";

/** The agents that Relay knows how to call by itself. */
export const PRESETS = { claude, codex, opencode, gemini, cursor, pi } satisfies Record<string, Preset>;
