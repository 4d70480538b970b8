/** The operations of GitHub's REST API that the mock knows, by their published names. */
export const OPERATIONS = `
  apps/get-authenticated apps/list-installations apps/get-installation apps/get-repo-installation
  apps/create-installation-access-token apps/list-repos-accessible-to-installation apps/create-from-manifest
  apps/get-webhook-config-for-app apps/update-webhook-config-for-app apps/list-webhook-deliveries
  apps/get-webhook-delivery apps/redeliver-webhook-delivery
  meta/root meta/get rate-limit/get users/get-authenticated users/get-by-username
  repos/get repos/get-content repos/get-branch repos/list-branches git/get-ref
  repos/get-collaborator-permission-level repos/list-collaborators repos/check-collaborator
  repos/list-for-authenticated-user issues/list-assignees issues/check-user-can-be-assigned
  repos/list-webhooks repos/get-webhook repos/create-webhook repos/update-webhook repos/list-webhook-deliveries
  repos/get-webhook-delivery repos/redeliver-webhook-delivery
  issues/get issues/list-for-repo issues/list issues/create issues/update
  issues/list-comments issues/list-comments-for-repo issues/create-comment issues/get-comment issues/update-comment
  issues/delete-comment
  reactions/create-for-issue reactions/list-for-issue reactions/delete-for-issue
  reactions/create-for-issue-comment reactions/list-for-issue-comment reactions/delete-for-issue-comment
  reactions/create-for-pull-request-review-comment reactions/list-for-pull-request-review-comment
  issues/add-labels issues/remove-label issues/set-labels issues/list-labels-on-issue issues/list-labels-for-repo
  issues/create-label issues/get-label issues/add-assignees issues/remove-assignees
  pulls/create pulls/list pulls/get pulls/update pulls/request-reviewers pulls/list-requested-reviewers
  pulls/remove-requested-reviewers pulls/list-reviews pulls/list-review-comments pulls/get-review-comment
  pulls/update-review-comment pulls/delete-review-comment pulls/create-reply-for-review-comment pulls/get-review
  checks/list-for-ref checks/list-annotations repos/get-combined-status-for-ref
`
  .trim()
  .split(/\s+/);
