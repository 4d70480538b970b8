import type { Constraint } from "./sensitive-words.ts";

/** Files that only a person may let change. */
export const FILES: readonly Constraint[] = [
  { name: "environment file", pattern: /(?:^|\/)\.env[^/]*$|(?:^|\/)[^/]+\.env$/i },
  {
    name: "key or certificate",
    pattern: /\.(?:pem|key|p12|pfx|jks|keystore|crt|cer|der|asc|gpg|kdbx)$|(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/i,
  },
  {
    name: "credentials",
    pattern:
      /(?:^|\/)(?:\.npmrc|\.pypirc|\.netrc|\.htpasswd|\.git-credentials|\.dockercfg)$|(?:^|\/)(?:[^/]*[._-])?(?:secrets?|credentials?|passwords?)(?:[._-][^/]*)?\.(?:ya?ml|json|toml|ini|txt|properties|env|tfvars)$|(?:^|\/)(?:\.aws|\.ssh|\.gnupg|secrets)\//i,
  },
  {
    name: "authentication code",
    pattern:
      /(?:^|\/)(?:auth|login|signin|sign-in|authn|authz|oauth2?|authentication|authorization|permissions?|rbac|acl|sso|saml|passwords?)(?:\/|[._-][^/]*$|\.[a-z]+$)|(?:^|\/)[^/]*[._-](?:auth|oauth2?)\.[a-z]+$|(?:^|\/)(?:security|crypto|session)s?(?:\/|\.[a-z]+$)/i,
  },
  {
    name: "payment code",
    pattern: /(?:^|\/)(?:payments?|billing|checkout|invoicing|stripe|paypal)(?:\/|[._-][^/]*$|\.[a-z]+$)/i,
  },
  {
    name: "database migration",
    pattern:
      /(?:^|\/)(?:migrations?|migrate|flyway|liquibase|alembic)\/.*\.(?:sql|py|[cm]?[jt]s|rb|php|go|java|kt|cs|exs|xml|ya?ml)$|(?:^|\/)(?:schema\.(?:sql|rb|prisma)|structure\.sql)$/i,
  },
  {
    name: "CI workflow",
    pattern:
      /(?:^|\/)(?:\.github\/(?:workflows|actions)|\.circleci|\.buildkite|\.gitlab\/ci|\.woodpecker)\/|(?:^|\/)(?:\.gitlab-ci[^/]*\.ya?ml|\.travis\.yml|Jenkinsfile|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|appveyor\.yml|\.drone\.yml)$/i,
  },
  {
    name: "infrastructure",
    pattern:
      /\.(?:tf|tfvars|bicep)$|(?:^|\/)(?:terraform|k8s|kubernetes|helm|charts|ansible|pulumi|cloudformation|deploy|infra(?:structure)?)\/|(?:^|\/)(?:Dockerfile|docker-compose|compose)[^/]*$|(?:^|\/)nginx[^/]*\.conf$/i,
  },
  { name: "owners of the code", pattern: /(?:^|\/)CODEOWNERS$/ },
];
