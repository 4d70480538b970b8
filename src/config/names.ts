import { z } from "zod";

/* Names that could be written in a way that fits nothing, without a word: those forms are refused where they are read. */

/** The login of an account on a tracker, `relay[bot]` too. */
export const login = z.string().regex(/^[^\s@,]+$/, {
  error: "must be a login such as relay-bot, without “@” and blanks",
});

/** A glob of repositories on hosted trackers: `owner/name`, `owner/*`, `**`. */
export const repositoryGlob = z
  .string()
  .regex(/^(?!\/)(?!\w+:)\S+(?<!\/)$/, {
    error: "must be owner/name or a glob such as acme/*, without an address and blanks",
  })
  .regex(/\/|\*\*/, {
    error: "fits no repository: all have an owner; write owner/name, owner/*, or ** for all of them",
  });

/** A glob of files in a repository's tree; `!` may be before it. */
const treeGlob = z
  .string()
  .min(1)
  .max(200)
  .regex(/^!?(?![/\\])(?![A-Za-z]:[/\\])(?!(?:.*\/)?\.\.(?:\/|$))\P{Cc}*$/u, {
    error: "must be a path or glob from the top of the repository, without “/” at its start and without “..”",
  });

/** Some of them; where none takes another back, no `!` may be before one. */
export const treeGlobs = (most: number, { takesBack = false } = {}) =>
  z
    .array(
      takesBack ? treeGlob : treeGlob.regex(/^[^!]/, { error: "must not begin with “!”, which fits nothing here" }),
    )
    .max(most)
    .default([]);
