/** Whether two logins name the same account: trackers ignore case. */
export function sameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a login is among these. */
export function isAmong(login: string, logins: readonly string[]): boolean {
  return logins.some((one) => sameLogin(one, login));
}
