import { describeModel } from "../../../test/contracts/model.ts";
import { PROVIDERS } from "./providers/registry.ts";

for (const provider of PROVIDERS) describeModel(provider);
