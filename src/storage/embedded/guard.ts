import { Socket } from "node:net";
import { Client } from "pg";

/** Seconds between two looks; the second in a row that finds nobody stops the server. */
const LOOK_EVERY_S = 15;
/** The advisory lock of the guard: a server has one. */
const ON_GUARD = 7_236_115;

/**
 * Has the server stop itself once all its users have been gone for a while: one that is killed cannot stop it. The guard
 * is a statement that runs in the server and outlives the connection that sent it. `inUse` is the advisory lock that the
 * users share; it is held to the end, so that newcomers wait until the server is down, and start it again.
 */
export function guardServer(
  to: { host: string; port: number; user: string },
  inUse: number,
  lookEveryS = LOOK_EVERY_S,
): { leave: () => void } {
  const client = new Client({ ...to, database: "postgres", application_name: "relay guard", ssl: false });
  // A server that goes down ends the connection.
  client.on("error", () => {});
  const watch = async () => {
    await client.connect();
    // It must not keep a process alive that is done.
    const { stream } = client.connection;
    if (stream instanceof Socket) stream.unref();
    await client.query(guardSql(inUse, lookEveryS));
    // Another one is on guard.
    await client.end();
  };
  void watch().catch(() => {});
  return {
    // Without a farewell, after which the server would end the statement.
    leave: () => client.connection.stream.destroy(),
  };
}

/** Commits after each look: a long transaction would keep the database from cleaning up. */
function guardSql(inUse: number, lookEveryS: number): string {
  return `do $guard$
declare
  looks int := 0;
  server text := split_part(pg_read_file('postmaster.pid'), E'\\n', 1);
begin
  if not pg_try_advisory_lock(${ON_GUARD}) then
    return;
  end if;
  loop
    perform pg_sleep(${lookEveryS});
    commit;
    if not pg_try_advisory_lock(${inUse}) then
      looks := 0;
      continue;
    end if;
    looks := looks + 1;
    exit when looks = 2;
    perform pg_advisory_unlock(${inUse});
  end loop;
  execute format('copy (select 1) to program %L', 'kill -INT ' || server);
  perform pg_sleep(60);
end $guard$`;
}
