/**
 * Accounts that GitLab makes for tokens of projects and groups, for services, and for itself. Neither webhooks nor
 * notes tell what kind of account their author has, so that the name has to.
 */
const BOTS = [
  /^(?:project|group)_\d+_bot(?:_[0-9a-f]+)?\d*$/,
  /^service_account_(?:group_\d+_|project_\d+_)?[0-9a-f]+$/,
  /^(?:alert|automation|migration|security|support|suggested-reviewers|visual-review)-bot\d*$/,
  /^gitlab-(?:security|admin|automation|suggested-reviewers|security-policy)-bot\d*$/,
  /^(?:gitlab-?duo|duo-)[\w-]*$/,
];

export function isBotName(login: string): boolean {
  const name = login.toLowerCase();
  return BOTS.some((pattern) => pattern.test(name));
}
