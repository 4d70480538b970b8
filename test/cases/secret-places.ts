import { createHash } from "node:crypto";

/** A text with one secret, and the part of it that may never be written. */
export interface SecretPlace {
  id: string;
  text: string;
  secret: string;
}

/** A part of a JSON web token. */
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Sixty texts as people and models write them, each with a secret that is drawn from a seed: nothing here is one. */
export function secretPlaces(seed: string): SecretPlace[] {
  let drawn = 0;
  const pick = (length: number, signs: string): string => {
    let text = "";
    while (text.length < length) {
      drawn += 1;
      for (const byte of createHash("sha256").update(`places ${seed} ${drawn}`).digest())
        text += signs[byte % signs.length] ?? "";
    }
    return text.slice(0, length);
  };
  const small = "abcdefghijklmnopqrstuvwxyz";
  const a = (length: number): string => pick(length, `${small}${small.toUpperCase()}0123456789`);
  const x = (length: number): string => pick(length, "0123456789abcdef");
  const A = (length: number): string => pick(length, `${small.toUpperCase()}0123456789`);
  const l = (length: number): string => pick(length, `${small}0123456789`);
  const uuid = (): string => `${x(8)}-${x(4)}-4${x(3)}-b${x(3)}-${x(12)}`;
  /** A password as people are told to choose one. */
  const word = (): string => `${pick(4, small)}${A(2)}7!${pick(4, small)}2`;
  const places: SecretPlace[] = [];
  const add = (id: string, secret: string, around: (value: string) => string = (value) => value): void => {
    places.push({ id, secret, text: around(secret) });
  };
  // Clouds.
  add("aws-id", `AKIA${pick(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`, (v) => `The deploy used ${v}, see the log.`);
  add("aws-secret-ini", a(40), (v) => `[default]\naws_access_key_id = x\naws_secret_access_key = ${v}\n`);
  add("aws-camel", a(40), (v) => `{ credentials: { accessKeyId: id, secretAccessKey: "${v}" } }`);
  add("gcp-api", `AIza${a(35)}`, (v) => `https://maps.googleapis.com/maps/api/js?key=${v}`);
  add("gcp-refresh", `1//0${a(60)}`, (v) => `refresh_token: ${v}`);
  add("azure-client", `${a(3)}8Q~${a(34)}`, (v) => `ARM_CLIENT_SECRET: ${v}`);
  add(
    "azure-storage",
    `${a(86)}==`,
    (v) => `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${v};EndpointSuffix=x`,
  );
  add(
    "azure-bus",
    `${a(43)}=`,
    (v) => `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${v}`,
  );
  add("digitalocean", `dop_v1_${x(64)}`, (v) => `doctl auth init -t ${v}`);
  add("alibaba", a(30), (v) => `ALIBABA_CLOUD_ACCESS_KEY_SECRET=${v}`);
  add("ibm", a(44), (v) => `ibmcloud_api_key: "${v}"`);
  add("oracle", pick(20, `${small}0123456789<>.#`) + "aB3", (v) => `oci_auth_token="${v}"`);
  // Chat.
  add("slack-bot", `xoxb-${pick(12, "123456789")}-${pick(12, "123456789")}-${a(24)}`);
  add("slack-hook", `T${A(9)}/B${A(9)}/${a(24)}`, (v) => `curl https://hooks.slack.com/services/${v}`);
  add("discord-hook", a(68), (v) => `https://discord.com/api/webhooks/${pick(18, "123456789")}/${v}`);
  add("telegram", `${pick(10, "123456789")}:AA${a(33)}`, (v) => `https://api.telegram.org/bot${v}/getMe`);
  add(
    "teams",
    x(32),
    (v) => `https://acme.webhook.office.com/webhookb2/${uuid()}@${uuid()}/IncomingWebhook/${v}/${uuid()}`,
  );
  add("mattermost", l(26), (v) => `curl -d @m.json https://chat.acme.example/hooks/${v}`);
  // Payments and mail.
  add("stripe", `sk_live_${a(24)}`, (v) => `Stripe.api_key = '${v}'`);
  add("stripe-hook", `whsec_${a(32)}`);
  add("braintree", `access_token$production$${l(16)}$${x(32)}`);
  add("square", `EAAA${a(60)}`, (v) => `Square token ${v}`);
  add("twilio", x(32), (v) => `TWILIO_AUTH_TOKEN=${v}`);
  add("sendgrid", `SG.${a(22)}.${a(43)}`);
  add("mailgun", `${x(32)}-${x(8)}-${x(8)}`, (v) => `mailgun.api_key: ${v}`);
  // Models.
  add("openai", `sk-proj-${a(48)}T3BlbkFJ${a(40)}`);
  add("anthropic", `sk-ant-api03-${a(93)}AA`, (v) => `x-api-key: ${v}`);
  add("cohere", a(40), (v) => `co = cohere.Client("${v}")`);
  add("mistral", a(32), (v) => `MISTRAL_API_KEY=${v}`);
  add("huggingface", `hf_${a(34)}`);
  // Vaults.
  add("vault", `hvs.CAES${a(90)}`, (v) => `vault login ${v}`);
  add("vault-secret-id", uuid(), (v) => `vault write auth/approle/login role_id=deploy secret_id=${v}`);
  add("doppler", `dp.st.prd.${a(40)}`);
  add("age", `AGE-SECRET-KEY-1${A(58)}`);
  // CI and registries.
  add("github", `github_pat_${a(22)}_${a(59)}`, (v) => `git clone https://x-access-token:${v}@github.com/acme/shop`);
  add("gitlab", `glpat-${a(20)}`, (v) => `curl -H "PRIVATE-TOKEN: ${v}"`);
  add("gitlab-routable", `glpat-${a(27)}.01.${l(9)}`);
  add("npmrc", uuid(), (v) => `//registry.npmjs.org/:_authToken=${v}`);
  add("npmrc-auth", Buffer.from(`bot:${a(20)}`).toString("base64"), (v) => `//nexus.acme.example/:_auth=${v}`);
  add("pypirc", `pypi-AgEIcHlwaS5vcmc${a(80)}`);
  add("docker-config", Buffer.from(`bot:${a(18)}`).toString("base64"), (v) => `{"auths":{"ghcr.io":{"auth":"${v}"}}}`);
  add("jenkins", `11${x(32)}`, (v) => `curl -u deploy:${v} https://ci.acme.example/job/x/build`);
  add("nuget", `oy2${l(43)}`, (v) => `<add key="ClearTextPassword" value="${v}" />`);
  add("maven", word(), (v) => `<server><id>nexus</id><username>bot</username><password>${v}</password></server>`);
  // Databases.
  add("postgres", word().replace("!", "x"), (v) => `DATABASE_URL=postgres://shop:${v}@db.internal:5432/shop`);
  add("mongodb", a(16), (v) => `mongodb+srv://app:${v}@cluster0.x.mongodb.net/?retryWrites=true`);
  add("redis", a(24), (v) => `redis://:${v}@cache:6379/0`);
  add("jdbc", word(), (v) => `jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=${v};encrypt=true`);
  add("pgpass", word(), (v) => `db.internal:5432:shop:app:${v}`);
  add("ado", word(), (v) => `Server=db;Database=shop;User Id=sa;Pwd=${v};`);
  // Assignments.
  add("toml", a(32), (v) => `[session]\nsecret_key = "${v}"\n`);
  add("properties", word(), (v) => `spring.datasource.password=${v}`);
  add("helm", word(), (v) => `helm install x --set auth.rootPassword=${v}`);
  add("yaml-block", a(36), (v) => `data:\n  api-token: |\n    ${v}\n`);
  add("header", a(40), (v) => `X-Auth-Token: ${v}`);
  add("basic", Buffer.from(`deploy:${a(16)}`).toString("base64"), (v) => `Authorization: Basic ${v}`);
  // Blocks, encodings and lines.
  add(
    "key-block",
    a(64),
    (v) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${v}\n${a(40)}\n-----END OPENSSH PRIVATE KEY-----`,
  );
  add("jwt", a(43), (v) => `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "17", admin: true })}.${v}`);
  add("base64", Buffer.from(`DB_PASSWORD=${a(20)}\n`).toString("base64"), (v) => `echo ${v} | base64 -d`);
  add("url-encoded", encodeURIComponent(`password=${word()}&x=1`), (v) => `body: ${v}`);
  const split = `ghp_${a(36)}`;
  places.push({
    id: "two-lines",
    secret: split.slice(24),
    text: `token:\n  ${split.slice(0, 24)}\n  ${split.slice(24)}`,
  });
  return places;
}
