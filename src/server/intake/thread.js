// Where the intake thread begins. Plain JavaScript: whatever is loaded before the compile cache would have its types
// stripped at each start, which takes as much memory as all the rest of the thread.
import module from "node:module";

module.enableCompileCache?.();
await import("./intake.ts");
