/** Whether only this machine reaches what listens on a host. */
export function isLoopback(host: string): boolean {
  return ["localhost", "::1"].includes(host) || host.startsWith("127.");
}
