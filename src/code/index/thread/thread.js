// The entry of a thread that builds an index. Plain JavaScript: types in files that load before the compile cache would
// be stripped again at each start.
import module from "node:module";

module.enableCompileCache?.();
await import("./build.ts");
