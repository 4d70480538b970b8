import { describeModel } from "../../../test/contracts/model.ts";
import { PROVIDERS } from "./names.ts";

for (const provider of PROVIDERS) describeModel(provider);
