// Where a thread that builds an index begins. Plain JavaScript: whatever is loaded before the compile cache would have its
// types stripped at each start.
import module from "node:module";

module.enableCompileCache?.();
await import("./build.ts");
