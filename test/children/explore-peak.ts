/* Runs one command line of `relay` and says on stderr how many MiB of memory the process had at its largest. */
import { main } from "../../src/cli/main.ts";

process.exitCode = await main(process.argv.slice(2));
process.stderr.write(`${Math.round(process.resourceUsage().maxRSS / 1024)}\n`);
