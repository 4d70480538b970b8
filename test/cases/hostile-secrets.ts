import { createHash } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CLASSES = [
  "cloud",
  "chat",
  "payment",
  "model",
  "vault",
  "vpn",
  "ci",
  "registry",
  "observability",
  "saas",
  "key",
  "token",
  "generic",
  "encoded",
] as const;

const b64 = (text: string) => Buffer.from(text).toString("base64");

/** A text with a secret in it. */
export interface HostileSecret {
  id: string;
  class: (typeof CLASSES)[number];
  text: string;
  /** What must not be left of it. */
  mustNot: string[];
}

/** Texts with secrets as the documents of their providers show them, drawn from a seed: nothing here is one. */
export function hostileSecrets(seed: string): HostileSecret[] {
  let drawn = 0;
  const pick = (length: number, signs: string): string => {
    let text = "";
    while (text.length < length) {
      drawn += 1;
      for (const byte of createHash("sha256").update(`${seed} ${drawn}`).digest())
        text += signs[byte % signs.length] ?? "";
    }
    return text.slice(0, length);
  };
  const a = (length: number) => pick(length, LETTERS);
  const x = (length: number) => pick(length, "0123456789abcdef");
  const l = (length: number) => pick(length, "abcdefghijklmnopqrstuvwxyz0123456789");
  const U = (length: number) => pick(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
  const w = (length: number) => pick(length, `${LETTERS}_-`);
  const b = (length: number) => pick(length, `${LETTERS}+/`);
  const d = (length: number) => pick(length, "123456789");
  const uuid = () => `${x(8)}-${x(4)}-4${x(3)}-a${x(3)}-${x(12)}`;
  const AN = LETTERS;
  const pw = "vR7!kQz2mLp9";
  const pw2 = "tangerine-Moose42";
  const cases: HostileSecret[] = [];
  const add = (id: string, of: HostileSecret["class"], text: string, ...mustNot: string[]): void => {
    cases.push({ id, class: of, text, mustNot });
  };
  let s = "";
  s = "AKIA" + pick(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
  add("aws-env", "cloud", `AWS_ACCESS_KEY_ID=${s}`, s);
  s = b(40);
  add(
    "aws-credentials-file",
    "cloud",
    `[default]\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = ${s}`,
    s,
  );
  s = b(40);
  add("aws-yaml", "cloud", `aws:\n  secretAccessKey: "${s}"`, s);
  s = "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t" + a(60);
  add("aws-bedrock-short", "cloud", `use ${s}`, "YmVkcm9jay5hbWF6b25hd3MuY29t");
  s = b(86);
  add(
    "azure-storage",
    "cloud",
    `AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${s}==;EndpointSuffix=core.windows.net"`,
    s,
  );
  s = b(43);
  add(
    "azure-servicebus",
    "cloud",
    `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}=`,
    s,
  );
  s = a(3) + "8Q~" + w(34);
  add("azure-client-secret", "cloud", `client secret is ${s}`, s);
  s = a(52) + "JQQJ99" + a(10) + "AZDO" + a(4);
  add("azure-devops-pat", "cloud", `git clone https://x:${s}@dev.azure.com/acme/p/_git/r`, s);
  s = w(54) + "==";
  add("azure-function-code", "cloud", `curl "https://acme.azurewebsites.net/api/run?code=${s}"`, s.slice(0, 50));
  s = x(32);
  add("azure-openai", "model", `AZURE_OPENAI_API_KEY=${s}`, s);
  s = "AIza" + w(35);
  add("gcp-api", "cloud", `https://maps.googleapis.com/maps/api/js?key=${s}`, s);
  s = a(64);
  add(
    "gcp-sa",
    "cloud",
    JSON.stringify(
      {
        type: "service_account",
        project_id: "acme",
        private_key_id: x(40),
        private_key: `-----BEGIN PRIVATE KEY-----\n${s}\n${a(64)}\n-----END PRIVATE KEY-----\n`,
      },
      null,
      2,
    ),
    s,
  );
  s = "GOCSPX-" + w(28);
  add("gcp-oauth", "cloud", `{"client_secret":"${s}"}`, s);
  s = "ya29.a0" + w(120);
  add("gcp-access", "cloud", `token ${s}`, s);
  s = "1//0g" + w(60);
  add("gcp-refresh", "cloud", `refresh_token: ${s}`, s);
  s = "LTAI5t" + a(18);
  add("alibaba", "cloud", `accessKeyId: ${s}`, s);
  s = w(44);
  add("ibm-cloud", "cloud", `IBMCLOUD_API_KEY=${s}`, s);
  s = x(64);
  add("linode", "cloud", `LINODE_CLI_TOKEN=${s}`, s);
  s = a(64);
  add("hetzner", "cloud", `export HCLOUD_TOKEN=${s}`, s);
  s = "dop_v1_" + x(64);
  add("digitalocean", "cloud", `doctl auth init -t ${s}`, s);
  s = uuid();
  add("scaleway", "cloud", `SCW_SECRET_KEY=${s}`, s);
  s = w(40);
  add("cloudflare", "cloud", `CLOUDFLARE_API_TOKEN: ${s}`, s);
  s = x(37);
  add("cloudflare-global", "cloud", `X-Auth-Key: ${s}`, s);
  s = "HRKU-AA" + w(58);
  add("heroku2", "cloud", `heroku: ${s}`, s);
  s = `xoxb-${d(12)}-${d(13)}-${a(24)}`;
  add("slack-bot", "chat", `SLACK=${s}`, s);
  s = `xapp-1-A0${U(9)}-${d(13)}-${x(64)}`;
  add("slack-app", "chat", `the app token ${s}.`, s);
  s = `https://hooks.slack.com/services/T${U(8)}/B${U(10)}/${a(24)}`;
  add("slack-hook", "chat", `curl -d '{}' ${s}`, s);
  s = `MT${a(24)}.G${a(5)}.${w(38)}`;
  add("discord-bot", "chat", `client.login("${s}")`, s);
  s = `https://discord.com/api/webhooks/${d(19)}/${w(68)}`;
  add("discord-hook", "chat", s, s);
  s = `${d(10)}:AA${w(33)}`;
  add("telegram", "chat", `https://api.telegram.org/bot${s}/getMe`, s);
  s = `https://acme.webhook.office.com/webhookb2/${uuid()}@${uuid()}/IncomingWebhook/${x(32)}/${uuid()}`;
  add("teams-hook", "chat", s, s);
  s =
    `https://prod-12.westeurope.logic.azure.com:443/workflows/${x(32)}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers&sv=1.0&sig=` +
    w(43);
  add("teams-workflow", "chat", s, s.slice(-43));
  s = l(26);
  add("mattermost", "chat", `MATTERMOST_TOKEN=${s}`, s);
  s = "sk_live_51" + a(97);
  add("stripe", "payment", `Stripe::api_key = "${s}"`, s);
  s = "rk_live_" + a(24);
  add("stripe-restricted", "payment", s, s);
  s = "whsec_" + a(32);
  add("stripe-hook", "payment", `endpoint_secret = '${s}'`, s);
  s = "EAAAl" + w(59);
  add("square", "payment", `SQUARE_ACCESS_TOKEN=${s}`, s);
  s = "rzp_live_" + a(14);
  add("razorpay", "payment", `key_id: ${s}`, s);
  s = "live_" + a(30);
  add("mollie", "payment", `MOLLIE_API_KEY=${s}`, s);
  s = "AQE" + a(20) + "NLlq1BaKmAA" + w(60) + "==-" + w(40);
  add("adyen", "payment", `X-API-Key: ${s}`, s.slice(0, 90));
  s = `access_token$production$${l(16)}$${x(32)}`;
  add("braintree", "payment", s, s);
  s = "sk-proj-" + w(74) + "T3BlbkFJ" + w(74);
  add("openai-proj", "model", `OPENAI_API_KEY=${s}`, s);
  s = "sk-ant-api03-" + w(93) + "AA";
  add("anthropic", "model", `x-api-key: ${s}`, s);
  s = "sk-or-v1-" + x(64);
  add("openrouter", "model", `key is ${s}`, s);
  s = "sk-" + x(32);
  add("deepseek", "model", `DEEPSEEK ${s}`, s);
  s = "hf_" + pick(34, AN.slice(0, 52));
  add("huggingface", "model", `huggingface-cli login --token ${s}`, s);
  s = "gsk_" + a(52);
  add("groq", "model", s, s);
  s = "xai-" + a(80);
  add("xai", "model", s, s);
  s = "r8_" + a(37);
  add("replicate", "model", s, s);
  s = "pplx-" + a(48);
  add("perplexity", "model", s, s);
  s = "tvly-dev-" + a(32);
  add("tavily", "model", s, s);
  s = x(40);
  add("wandb", "model", `wandb login --relogin --key ${s}`, s);
  s = "hvs.CAESI" + w(95);
  add("vault", "vault", `export VAULT_TOKEN=${s}`, s);
  s = "dp.st.prd." + a(43);
  add("doppler", "vault", s, s);
  s = "A3-" + U(6) + "-" + U(6) + "-" + U(5) + "-" + U(5) + "-" + U(5) + "-" + U(5);
  add("1password", "vault", `Secret key ${s}`, s);
  s = "ops_eyJ" + a(300);
  add("1password-sa", "vault", s, s);
  s = `st.${x(24)}.${x(32)}.${x(32)}`;
  add("infisical", "vault", s, s);
  s = "AGE-SECRET-KEY-1" + pick(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L");
  add("age", "key", s, s);
  s = "ghp_" + a(36);
  add("github", "ci", `git remote set-url origin https://${s}@github.com/o/r`, s);
  s = "github_pat_" + a(22) + "_" + a(59);
  add("github-fine", "ci", s, s);
  s = "glpat-" + w(20);
  add("gitlab", "ci", `PRIVATE-TOKEN: ${s}`, s);
  s = `glpat-${w(30)}.01.${l(9)}`;
  add("gitlab-routable", "ci", s, s);
  s = "CCIPAT_" + a(22) + "_" + x(40);
  add("circleci", "ci", s, s);
  s = "bkua_" + x(40);
  add("buildkite", "ci", s, s);
  s = "11" + x(32);
  add("jenkins", "ci", `curl -u admin:${s} https://ci.acme.test/job/x/build`, s);
  s = "squ_" + x(40);
  add("sonar", "ci", `-Dsonar.login=${s}`, s);
  s = uuid();
  add("snyk", "ci", `SNYK_TOKEN=${s}`, s);
  s = "ATCTT3xFfGN0" + w(170) + "=" + U(8);
  add("bitbucket", "ci", s, s);
  s = "npm_" + a(36);
  add("npm", "registry", `//registry.npmjs.org/:_authToken=${s}`, s);
  s = "pypi-AgEIcHlwaS5vcmc" + w(150);
  add("pypi", "registry", `[pypi]\nusername = __token__\npassword = ${s}`, s);
  s = "rubygems_" + x(48);
  add("rubygems", "registry", s, s);
  s = "dckr_pat_" + w(27);
  add("docker", "registry", `docker login -u acme -p ${s}`, s);
  s = b64("acme:" + pw);
  add("docker-config", "registry", `{"auths":{"ghcr.io":{"auth":"${s}"}}}`, s);
  s = "AKCp8" + a(68);
  add("artifactory", "registry", s, s);
  s = x(32);
  add("datadog", "observability", `DD_API_KEY: ${s}`, s);
  s = "NRAK-" + U(27);
  add("newrelic", "observability", s, s);
  s = "sntryu_" + x(64);
  add("sentry", "observability", s, s);
  s = "glsa_" + a(32) + "_" + x(8);
  add("grafana", "observability", s, s);
  s = "hcaik_01" + l(57);
  add("honeycomb", "observability", s, s);
  s = "dt0c01." + U(24) + "." + U(64);
  add("dynatrace", "observability", s, s);
  s = `u+${a(18)}`;
  add("pagerduty", "observability", `Authorization: Token token=${s}`, s);
  s = `pat${a(14)}.${x(64)}`;
  add("airtable", "saas", s, s);
  s = "ntn_" + d(11) + a(35);
  add("notion", "saas", s, s);
  s = "lin_api_" + a(40);
  add("linear", "saas", s, s);
  s = "figd_" + w(43);
  add("figma", "saas", s, s);
  s = `1/${d(16)}:${x(32)}`;
  add("asana", "saas", s, s);
  s = "ATATT3xFfGF0" + w(170) + "=" + U(8);
  add("jira", "saas", s, s);
  s = "pat-eu1-" + uuid();
  add("hubspot", "saas", s, s);
  s = `00D${a(12)}!AQ${a(80)}`;
  add("salesforce", "saas", s, s);
  s = "key-" + x(32);
  add("mailgun", "saas", s, s);
  s = "SG." + w(22) + "." + w(43);
  add("sendgrid", "saas", s, s);
  s = x(32) + "-us21";
  add("mailchimp", "saas", s, s);
  s = uuid();
  add("postmark", "saas", `X-Postmark-Server-Token: ${s}`, s);
  s = "re_" + a(8) + "_" + a(24);
  add("resend", "saas", s, s);
  s = x(32);
  add("twilio", "saas", `TWILIO_AUTH_TOKEN="${s}"`, s);
  s = "shpat_" + x(32);
  add("shopify", "saas", s, s);
  s = "sk.eyJ1Ijoi" + a(70) + "." + w(22);
  add("mapbox", "saas", s, s);
  s = "sl.u." + w(140);
  add("dropbox", "saas", `Dropbox token: ${s}`, s);
  s = "00" + w(40);
  add("okta", "saas", `Authorization: SSWS ${s}`, s);
  for (const kind of [
    "RSA PRIVATE KEY",
    "EC PRIVATE KEY",
    "DSA PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
  ]) {
    s = a(64);
    add(`key ${kind}`, "key", `-----BEGIN ${kind}-----\n${s}\n${a(64)}\n${a(40)}==\n-----END ${kind}-----`, s);
  }
  s = a(64);
  add("key-truncated", "key", `-----BEGIN PRIVATE KEY-----\n${s}\n${a(64)}`, s);
  s = a(64);
  add(
    "key-indented",
    "key",
    `tls:\n  key: |\n    -----BEGIN RSA PRIVATE KEY-----\n    ${s}\n    ${a(30)}\n    -----END RSA PRIVATE KEY-----`,
    s,
  );
  s = a(64);
  add("key-quoted", "key", `> -----BEGIN RSA PRIVATE KEY-----\n> ${s}\n> -----END RSA PRIVATE KEY-----`, s);
  s = a(64);
  add(
    "key-putty",
    "key",
    `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPublic-Lines: 1\n${a(64)}\nPrivate-Lines: 1\n${s}\nPrivate-MAC: ${x(40)}`,
    s,
  );
  s = w(43);
  add("key-jwk", "key", JSON.stringify({ kty: "EC", crv: "P-256", x: w(43), y: w(43), d: s }), s);
  s = b(43) + "=";
  add("key-wireguard", "vpn", `[Interface]\nPrivateKey = ${s}\nAddress = 10.0.0.2/24`, s);
  s = "0x" + x(64);
  add("key-ethereum", "key", `PRIVATE_KEY=${s}`, s);
  s = "L" + pick(51, "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");
  add("key-wif", "key", `wallet key: ${s}`, s);
  s = "ripple harvest cannon velvet orbit mango trophy lunar cabin ghost timber wagon";
  add("seed", "key", `mnemonic: "${s}"`, s);
  s = `eyJhbGciOiJIUzI1NiJ9.eyJ${a(50)}.${w(43)}`;
  add("jwt", "token", `{"token":"${s}"}`, s);
  s = `eyJhbGciOiJSUzI1NiJ9.eyJ${a(50)}.${w(86)}`;
  add("jwt-cookie", "token", `Cookie: session=${s}`, s);
  s = w(40);
  add("bearer", "token", `curl -H "Authorization: Bearer ${s}" https://api.acme.test`, s);
  s = b64("svc:" + pw);
  add("basic", "token", `authorization: basic ${s}`, s);
  s = a(32);
  add("header-key", "token", `X-API-KEY: ${s}`, s);
  s = l(32);
  add("cookie", "token", `Set-Cookie: sessionid=${s}; HttpOnly`, s);
  add("env", "generic", `DATABASE_PASSWORD=${pw}`, pw);
  add("env-export", "generic", `export DB_PASS='${pw2}'`, pw2);
  add("env-inline", "generic", `PGPASSWORD=${pw} psql -h db`, pw);
  add("env-lower", "generic", `dbpass=${pw2}`, pw2);
  add("yaml", "generic", `database:\n  user: app\n  password: ${pw}`, pw);
  add("yaml-quoted", "generic", `smtp_password: "${pw2}"`, pw2);
  add("json", "generic", `{"db":{"password":"${pw}"}}`, pw);
  add("json-escaped", "generic", `"{\\"password\\":\\"${pw2}\\"}"`, pw2);
  add("toml", "generic", `[database]\npassword = "${pw2}"`, pw2);
  add("ini", "generic", `[client]\nuser=root\npassword=${pw}`, pw);
  add("properties", "generic", `spring.mail.password=${pw2}`, pw2);
  add("xml", "generic", `<connection><user>sa</user><password>${pw}</password></connection>`, pw);
  add("xml-attr", "generic", `<user name="admin" password="${pw2}" roles="manager"/>`, pw2);
  add("conn-ado", "generic", `Server=tcp:acme.database.windows.net;User ID=sa;Password=${pw};Encrypt=true`, pw);
  add(
    "url-pg",
    "generic",
    `DATABASE_URL=postgresql://app:${encodeURIComponent(pw)}@db.internal:5432/app`,
    encodeURIComponent(pw),
  );
  add("url-mongo", "generic", `mongodb+srv://root:${pw2}@cluster0.ab1cd.mongodb.net/app`, pw2);
  add("url-amqp", "generic", `amqps://svc:${pw2}@mq.internal/vhost`, pw2);
  add("url-redis", "generic", `redis://:${pw2}@cache:6379/0`, pw2);
  add("cli-flag", "generic", `mysqldump -u root --password=${pw2} shop`, pw2);
  add("cli-short", "generic", `mysql -uroot -p${pw2} shop`, pw2);
  add("cli-sshpass", "generic", `sshpass -p ${pw2} ssh deploy@host`, pw2);
  add("cli-curl", "generic", `curl --user deploy:${pw2} https://acme.test`, pw2);
  add("netrc", "generic", `machine api.acme.test\n  login ann\n  password ${pw2}`, pw2);
  add("pgpass", "generic", `db.internal:5432:shop:app:${pw2}`, pw2);
  add("php-define", "generic", `define( 'DB_PASSWORD', '${pw}' );`, pw);
  add("python", "generic", `conn = connect(host="db", user="app", password="${pw2}")`, pw2);
  add("java", "generic", `private static final String DB_PASSWORD = "${pw}";`, pw);
  add("node", "generic", `const client = new Client({ user: "app", password: "${pw2}" });`, pw2);
  s = a(50);
  add("django", "generic", `SECRET_KEY = "${s}"`, s);
  s = x(128);
  add("rails", "generic", `secret_key_base: ${s}`, s);
  s = b(43) + "=";
  add("laravel", "generic", `APP_KEY=base64:${s}`, s);
  s = pick(64, AN + "!@#$%^&*()-_[]{}<>~+=,.;:/?|").replaceAll("'", "x");
  add("wp-salt", "generic", `define('AUTH_KEY', '${s}');`, s);
  add("k8s-secret", "generic", `apiVersion: v1\nkind: Secret\ndata:\n  password: ${b64(pw2)}`, b64(pw2));
  add("k8s-stringdata", "generic", `kind: Secret\nstringData:\n  db-password: ${pw2}`, pw2);
  add("terraform", "generic", `variable "db_password" {\n  default = "${pw2}"\n}`, pw2);
  add("ansible", "generic", `ansible_become_pass: ${pw2}`, pw2);
  add("sql", "generic", `ALTER USER app WITH ENCRYPTED PASSWORD '${pw2}';`, pw2);
  add("ldap", "generic", `bindpw ${pw2}`, pw2);
  add("wpa", "generic", `network={\n  ssid="acme"\n  psk="${pw2}"\n}`, pw2);
  add("shadow", "generic", `root:$6$rounds=5000$${a(12)}$${a(86)}:19000:0:99999:7:::`, "$6$rounds");
  add("htpasswd", "generic", `ann:$apr1$${a(8)}$${a(22)}`, "$apr1$");
  add("prose-backtick", "generic", `The admin password is \`${pw}\`.`, pw);
  add("prose-colon", "generic", `Login with user admin and password: ${pw2}`, pw2);
  add("table", "generic", `| key | value |\n|---|---|\n| DB_PASSWORD | ${pw2} |`, pw2);
  const g = "ghp_" + a(36),
    k = "AKIA" + pick(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
  add("enc-b64", "encoded", b64(`export TOKEN=${g}`), b64(`export TOKEN=${g}`));
  add(
    "enc-b64-wrapped",
    "encoded",
    b64(`export TOKEN=${g}\nexport X=${a(60)}`).replaceAll(/(.{64})/g, "$1\n"),
    b64(`export TOKEN=${g}`).slice(0, 48),
  );
  add("enc-b64-double", "encoded", b64(b64(g)), b64(b64(g)));
  add(
    "enc-b64url",
    "encoded",
    Buffer.from("k?>" + g).toString("base64url"),
    Buffer.from("k?>" + g).toString("base64url"),
  );
  add(
    "enc-utf16",
    "encoded",
    Buffer.from(`token ${g}`, "utf16le").toString("base64"),
    Buffer.from(`token ${g}`, "utf16le").toString("base64"),
  );
  add("enc-hex", "encoded", Buffer.from(g).toString("hex"), Buffer.from(g).toString("hex"));
  add(
    "enc-hex-colon",
    "encoded",
    Buffer.from(k)
      .toString("hex")
      .replaceAll(/(..)(?=.)/g, "$1:"),
    Buffer.from(k)
      .toString("hex")
      .replaceAll(/(..)(?=.)/g, "$1:"),
  );
  add(
    "enc-pct",
    "encoded",
    Array.from(g)
      .map((c) => `%${c.charCodeAt(0).toString(16)}`)
      .join(""),
    "%67%68%70",
  );
  add("enc-url", "encoded", encodeURIComponent(`https://a:${pw2}@h/?x=1`), encodeURIComponent(pw2));
  add(
    "enc-entities",
    "encoded",
    Array.from(k)
      .map((c) => `&#${c.charCodeAt(0)};`)
      .join(""),
    "&#65;&#75;&#73;",
  );
  add(
    "enc-escapes",
    "encoded",
    Array.from(k)
      .map((c) => `\\u00${c.charCodeAt(0).toString(16)}`)
      .join(""),
    "\\u0041\\u004b",
  );
  add(
    "enc-bytes",
    "encoded",
    `[${Array.from(k)
      .map((c) => c.charCodeAt(0))
      .join(", ")}]`,
    "65, 75, 73",
  );
  add("split-concat", "encoded", `t = "${g.slice(0, 12)}" + "${g.slice(12)}"`, g.slice(14));
  add("split-lines", "encoded", `${g.slice(0, 20)}\n${g.slice(20)}`, g.slice(20));
  add("split-quote", "encoded", `> ${k.slice(0, 10)}\n> ${k.slice(10)}`, k.slice(10));
  add("split-zero-width", "encoded", Array.from(g).join("\u200b"), Array.from(g).join("\u200b"));
  add("split-spaces", "encoded", Array.from(g).join(" "), Array.from(g).join(" "));
  add("split-markdown", "encoded", `**${g.slice(0, 10)}**${g.slice(10)}`, g.slice(12));
  add("reversed", "encoded", Array.from(g).toReversed().join(""), Array.from(g).toReversed().join(""));

  return cases;
}
