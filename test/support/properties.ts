import { configureGlobal } from "fast-check";
import { triesOf } from "./tries.ts";

/** How often a property is tried that says nothing of it. */
configureGlobal({ numRuns: triesOf(100) });
