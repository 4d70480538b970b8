import type { WorkSettings } from "../../src/implementation/worker.ts";

/** Of a worker that is let do everything. */
export const WORK_SETTINGS: WorkSettings = {
  limits: { iterations: 4, minutes: 10, iterationMinutes: 5, checkMinutes: 5, usd: null, tokens: null },
  scanCommand: null,
  hosts: [],
  privateNetwork: [],
  readable: [],
  certificates: [],
  blocked: [],
  allowed: [],
  reviewed: [],
  memoryMb: null,
  processes: 1_000,
  diskMb: null,
  files: null,
  environment: {},
  model: null,
  models: [],
  gateway: { models: [], requestsPerMinute: 1_000, priceOf: () => null },
};
