import { z } from "zod";
import { AGENT_NAMES } from "../adapters/agents/registry.ts";
import { PROVIDERS } from "../adapters/models/providers/registry.ts";
import { problemOfPrivate } from "../adapters/sandbox/egress-proxy/addresses.ts";
import { problemOfHost } from "../adapters/sandbox/egress-proxy/match-host.ts";
import { SANDBOXES } from "../adapters/sandbox/sandbox.ts";

import { treeGlobs } from "./names.ts";

const key = (description: string) => ({ description });

/** Models by their names, with one `*` at most. */
const modelPattern = z
  .string()
  .max(200)
  .regex(new RegExp(`^(?:${PROVIDERS.join("|")})\\/(?!.*\\*.*\\*)[\\w.:@/+*-]+$`), {
    error: "must be provider/name; one * stands for any rest",
  });

/** US dollars, or no limit. */
export const budget = z.union([z.number().min(0).max(1_000_000), z.literal("off")], {
  error: "must be a number of US dollars, or “off”",
});
/** What a value allows nothing by, told where it is read. */
const checked = (longest: number, problemOf: (entry: string) => string | null) =>
  z
    .string()
    .min(1)
    .max(longest)
    .superRefine((entry, context) => {
      const message = problemOf(entry);
      if (message !== null) context.addIssue({ code: "custom", message });
    });

const texts = (most: number) => z.array(z.string().min(1)).max(most).default([]);

/** How plans are carried out: keys of `work` in `relay.yaml`. */
export const workSettings = z
  .strictObject({
    agent: z
      .enum(AGENT_NAMES)
      .optional()
      .meta(key("Coding agent that carries out plans; without one, Relay changes no code (RELAY_AGENT).")),
    command: z
      .array(z.string().min(1).max(4_096))
      .min(1)
      .max(64)
      .optional()
      .meta(
        key(
          "Program and arguments of the agent `command`, with {prompt}, {prompt_file}, {directory}, {model}; or of an agent that speaks the Agent Client Protocol (`acp`; RELAY_WORK_COMMAND, comma-separated).",
        ),
      ),
    patch: z
      .string()
      .min(1)
      .optional()
      .meta(key("Patch that the agent `script` applies, for trying Relay out (RELAY_WORK_PATCH).")),
    sandbox: z
      .enum(["auto", ...SANDBOXES])
      .default("auto")
      .meta(
        key(
          "What isolates the agent and the repository's programs from the machine; `auto` is bubblewrap, and never none (RELAY_SANDBOX).",
        ),
      ),
    container: z
      .strictObject({
        command: z
          .string()
          .min(1)
          .default("docker")
          .meta(key("Program that runs containers (RELAY_WORK_CONTAINER_COMMAND).")),
        image: z
          .string()
          .min(1)
          .meta(key("Image to run in; it needs the agent, git and Node (RELAY_WORK_CONTAINER_IMAGE).")),
      })
      .optional()
      .meta(key("For the sandbox `container`.")),
    network: z
      .array(checked(260, problemOfHost))
      .max(200)
      .default([])
      .meta(
        key(
          "Allowlist of hosts for programs in the sandbox, besides the model's, such as your package registry; `*.example.org` allows all subdomains (RELAY_WORK_NETWORK, comma-separated).",
        ),
      ),
    private_network: z
      .array(checked(260, problemOfPrivate))
      .max(50)
      .default([])
      .meta(
        key(
          "Private addresses that programs in the sandbox may reach all the same: your own registry as `host:port`, or a network such as `10.20.0.0/16` for the hosts of `network`; none by default (RELAY_WORK_PRIVATE_NETWORK, comma-separated).",
        ),
      ),
    models: z
      .array(modelPattern)
      .max(50)
      .default([])
      .meta(
        key(
          "Models that the agent may use besides `models.worker` and the small ones of its own, as `provider/name`; one `*` stands for any rest (RELAY_WORK_MODELS, comma-separated).",
        ),
      ),
    requests_per_minute: z
      .int()
      .min(1)
      .max(10_000)
      .default(120)
      .meta(key("Most requests of a run to its models in a minute (RELAY_WORK_REQUESTS_PER_MINUTE).")),
    environment: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: "must be the name of a variable" }))
      .max(50)
      .default([])
      .meta(key("Variables passed on to programs in the sandbox (RELAY_WORK_ENVIRONMENT, comma-separated).")),
    scan_command: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .meta(
        key(
          "Command that scans a finished change on a clean checkout, in the sandbox; its result is in the pull request, which is a draft if it fails (RELAY_WORK_SCAN_COMMAND).",
        ),
      ),
    readable: texts(50).meta(
      key(
        "Folders that programs in the sandbox may read, besides the system's, such as the agent's own (RELAY_WORK_READABLE, comma-separated).",
      ),
    ),
    certificates: texts(20).meta(
      key(
        "Files or folders with certificates (PEM) of your own authorities, which programs in the sandbox trust besides the public ones; those that NODE_EXTRA_CA_CERTS, SSL_CERT_FILE and the like name for Relay are trusted too (RELAY_WORK_CERTIFICATES, comma-separated).",
      ),
    ),
    blocked_paths: treeGlobs(200).meta(
      key("Globs of files that Relay never changes, besides its own list (RELAY_WORK_BLOCKED_PATHS, comma-separated)."),
    ),
    allowed_paths: treeGlobs(200).meta(
      key(
        "Globs of files on Relay's own list that it may change after all, such as `.github/workflows/**` (RELAY_WORK_ALLOWED_PATHS, comma-separated).",
      ),
    ),
    review_paths: treeGlobs(200, { takesBack: true }).meta(
      key(
        "Globs of files whose change makes a request a draft, besides Relay's own list; `!` before a glob takes files off that (RELAY_WORK_REVIEW_PATHS, comma-separated).",
      ),
    ),
    concurrency: z.int().min(1).max(32).default(2).meta(key("Runs of one process at a time (RELAY_WORK_CONCURRENCY).")),
    iterations: z
      .int()
      .min(1)
      .max(50)
      .default(8)
      .meta(key("Most fresh runs of the agent per task (RELAY_WORK_ITERATIONS).")),
    minutes: z
      .number()
      .min(0.05)
      .max(1_440)
      .default(60)
      .meta(key("Most minutes per task; the proof on a clean checkout may take a quarter more (RELAY_WORK_MINUTES).")),
    iteration_minutes: z
      .number()
      .min(0.05)
      .max(480)
      .default(20)
      .meta(key("Most minutes per run of the agent (RELAY_WORK_ITERATION_MINUTES).")),
    check_minutes: z
      .number()
      .min(0.05)
      .max(240)
      .default(15)
      .meta(key("Most minutes per check or test command (RELAY_WORK_CHECK_MINUTES).")),
    usd: budget.default(10).meta(key("Budget for the agent per task in US dollars, or `off` (RELAY_WORK_USD).")),
    tokens: z
      .union([z.literal("off"), z.int().min(1_000)], { error: "must be a number of tokens, or “off”" })
      .optional()
      .meta(
        key(
          "Most tokens per task, in and out, that have no known price, or `off`; by default as many as `usd` buys of prompts for `models.worker`, or 20 million where its price is unknown too (RELAY_WORK_TOKENS).",
        ),
      ),
    memory_mb: z
      .int()
      .min(256)
      .max(1_048_576)
      .optional()
      .meta(key("Memory limit of the sandbox in mebibytes (RELAY_WORK_MEMORY_MB).")),
    processes: z
      .int()
      .min(16)
      .max(100_000)
      .default(1_024)
      .meta(key("Most processes in the sandbox at a time (RELAY_WORK_PROCESSES).")),
    disk_mb: z
      .int()
      .min(50)
      .max(100_000_000)
      .default(10_240)
      .meta(key("Mebibytes that the programs of a run may write to disk (RELAY_WORK_DISK_MB).")),
    files: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .default(500_000)
      .meta(key("Files and folders that the programs of a run may create (RELAY_WORK_FILES).")),
  })
  .prefault({});
