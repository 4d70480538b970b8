/**
 * Accounts that GitLab creates for project and group tokens, for services, and for itself. Recognized by name, since
 * neither webhooks nor notes have the author's kind of account.
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
