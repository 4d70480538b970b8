import { RelayError } from "../../lib/errors.ts";
import { stripHiddenCharacters } from "../../domain/text/unseen.ts";
import { compileGlob, type PathTest } from "./glob.ts";

/**
 * Files that usually hold credentials: listed by name, never opened (R-EXP-3). Case is folded; the last line that
 * fits decides, and one that begins with `!` lets the file be read.
 */
const PROTECTED = [
  ".env*",
  "!.env*.{example,sample,template,dist,defaults}",
  "*.env",
  "*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdbx,kubeconfig,agekey}",
  "id_{rsa,dsa,ecdsa,ed25519}*",
  ".{npmrc,yarnrc,yarnrc.yml,netrc,pypirc,pgpass,htpasswd,git-credentials,dockercfg,my.cnf,terraformrc,vault-token}",
  "_netrc",
  "credentials*",
  "secrets.*",
  "{service-account,service_account,client_secret}*.json",
  "*.{tfstate,tfvars}",
  "*.tfstate.*",
  "kubeconfig*",
  "**/.{aws,ssh,gnupg,kube,azure,gcloud}/**",
  "**/.docker/config.json",
] as const;

/**
 * Creates a test for protected paths. `extra` globs come after the built-in ones, `!` before a glob opens what it
 * fits. Throws `RelayError` `config` for a glob that cannot be read.
 */
export function protectedPaths(extra: readonly string[] = []): PathTest {
  const rules = [...PROTECTED, ...extra].map((rule) => {
    const opens = rule.startsWith("!");
    const glob = compileGlob(opens ? rule.slice(1) : rule, { ignoreCase: true });
    if (glob.kind === "refused") {
      throw new RelayError("config", `cannot read the glob ${JSON.stringify(rule)} of protected files: ${glob.reason}`);
    }
    return { opens, test: glob.test };
  });
  return (path) => {
    // File systems treat these spellings as one name.
    const plain = stripHiddenCharacters(path).replaceAll(/[. ]+(?=\/|$)/g, "");
    return rules.reduce(
      (closed, rule) => (rule.test(path) || (plain !== path && rule.test(plain)) ? !rule.opens : closed),
      false,
    );
  };
}
