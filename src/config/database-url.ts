/**
 * The address of a PostgreSQL as the `pg` library reads it; null for what is none. Its host may be empty, where a
 * parameter `host` names the folder of a Unix socket: `postgres://user@/database?host=/var/run/postgresql`.
 */
export function readDatabaseUrl(text: string): { host: string; database: string } | null {
  // The standard knows no user without a host.
  const address = text.trim().replace(/^(postgres(?:ql)?:\/\/[^/?#@]*@)(?=[/?#]|$)/i, "$1localhost");
  if (!/^postgres(?:ql)?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const { host, pathname, searchParams } = new URL(address);
  return { host: searchParams.get("host") ?? host, database: pathname.slice(1) };
}
