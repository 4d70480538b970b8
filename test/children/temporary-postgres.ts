// Starts a server of tests, says where it is and waits; driven by test/e2e/temporary-postgres.test.ts.
import { startTemporaryPostgres } from "../support/temporary-postgres.ts";

const { connection } = await startTemporaryPostgres();
process.stdout.write(`${JSON.stringify(connection)}\n`);
process.stdin.resume();
