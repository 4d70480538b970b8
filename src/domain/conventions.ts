import { z } from "zod";
import { CLASSIFICATIONS } from "./plan.ts";

const command = z.string().max(2_000);

export const conventionsSchema = z.object({
  branch_prefix: z.partialRecord(z.enum(CLASSIFICATIONS), z.string().max(100)),
  /** Install the dependencies before work begins. */
  setup_commands: z
    .array(command)
    .optional()
    .transform((given) => given ?? []),
  test_commands: z.array(command),
  lint_command: command,
  build_command: command,
  /** The repository's own type check, if it is not `npm run type-check`. */
  type_check_command: command.nullish(),
  style_guide: z.string(),
});
/** How a repository is worked on (R-FIX-1). */
export type Conventions = z.output<typeof conventionsSchema>;
