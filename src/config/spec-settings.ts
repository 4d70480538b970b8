import { z } from "zod";
import { BUCKET_NAME, problemOfBucket } from "../adapters/spec-stores/bucket-name.ts";

/** Where specs can be kept (R-SPEC-9). */
export const specStoreName = z.string().regex(new RegExp(`^(?:local|git)$|${BUCKET_NAME.source}`), {
  error: ({ input }) => {
    const said = "must be “local”, “git”, or a bucket: s3://BUCKET/PREFIX";
    if (typeof input !== "string" || !/^s3:/i.test(input)) return said;
    return `${said}; ${problemOfBucket(input) ?? ""}`;
  },
});

/** Where specs are kept: keys of `relay.yaml` (R-SPEC-9). */
export const specSettings = {
  spec_root: z
    .string()
    .min(1)
    .default("relay_specs")
    .meta({ description: "Folder of the local spec store (RELAY_SPEC_ROOT)." }),
  spec_store: specStoreName.optional().meta({
    description:
      "Where specs are kept: `local` files, `git`, a branch of the repository, or `s3://BUCKET/PREFIX`; by default `git` in hosted repositories that Relay may push to, else `local` (RELAY_SPEC_STORE).",
  }),
  spec_branch: z
    .string()
    .regex(/^(?!.*(?:\.\.|\/\/|\.lock(?:\/|$)))[A-Za-z0-9][\w./-]{0,98}\w$/, { error: "must be the name of a branch" })
    .default("relay/specs")
    .meta({ description: "Branch of the spec store `git` (RELAY_SPEC_BRANCH)." }),
};
