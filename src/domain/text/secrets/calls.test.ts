import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { removeSecrets } from "./remove-secrets.ts";

const key = `a1B${randomBytes(15).toString("hex")}Z9x`;
const hex = randomBytes(32).toString("hex");
const base64 = `9aK+${randomBytes(24).toString("base64").replaceAll(/[+/=]/g, "x")}7Q`;
const password = "Geb3uyMuqvMPHe";

test.each([
  [`co = cohere.Client("${key}")`, key],
  [`const client = algoliasearch("LATENCY42", "${hex.slice(0, 32)}");`, hex.slice(0, 32)],
  [`client = WeatherClient(region="eu", key="${key}")`, key],
  [`const mixpanel = new MixpanelApi('${key}')`, key],
  [`twilio("AC0", "${hex.slice(0, 32)}")`, hex.slice(0, 32)],
  [`createHmac("sha256", "${key}").update(body)`, key],
  [`jwt.sign({ id: user.id() }, "${key}", { expiresIn: "1h" })`, key],
  [`f = Fernet("${base64}=")`, base64],
  [`crypto.createDecipheriv("aes-256-gcm", Buffer.from("${hex}", "hex"), iv)`, hex],
  [`client.get(url).bearer_auth("${key}").send()`, key],
  [`.basic_auth("deploy", Some("${password}"))`, password],
  [`requests.get(url, auth=("deploy", "${password}"))`, password],
  [`smtp.login("bot@acme.dev", "${password}")`, password],
  [`$p = ConvertTo-SecureString "iANl!4SD#EKSP" -AsPlainText -Force`, "iANl!4SD#EKSP"],
  [`openssl rsa -in key.pem -passin pass:vnWe3fHimAoW`, "vnWe3fHimAoW"],
  [`gh secret set DEPLOY_KEY --body "${key}"`, key],
  ["Login: admin / y6wxHx5kSo1p", "y6wxHx5kSo1p"],
  ["Gmail app password: kxqv mzpt wbrn hjld", "kxqv mzpt wbrn hjld"],
  [`ENV API_TOKEN ${key}`, key],
  [`RAILS_MASTER_KEY ${hex.slice(0, 32)}`, hex.slice(0, 32)],
  [`web1 ansible_host=10.0.0.4 ansible_ssh_pass=${password}`, password],
  [
    `kind: Secret\ntype: Opaque\ndata:\n  stripe: NGV6cjVjY0VwWVZhdGR0cXhNY2tpTnNT\n`,
    "NGV6cjVjY0VwWVZhdGR0cXhNY2tpTnNT",
  ],
  [`I used the aws secret key ${base64} there.`, base64],
  [`new Foo({ apiKey: 'igdHUJQpDHXSQRHCqqKSNjuGkb' })`, "igdHUJQpDHXSQRHCqqKSNjuGkb"],
  ["Das Passwort lautet 73ZDsq2DYTpr, bitte.", "73ZDsq2DYTpr"],
  ["Le mot de passe est alw72kjzLuVu.", "alw72kjzLuVu"],
  [`Authorization: key=AAAAUPtnokq:APA91b${hex}${hex}`, hex],
])("literals that calls and commands take as keys go: %j", (text, secret) => {
  expect(removeSecrets(text).text).not.toContain(secret);
});

test.each([
  'cohere.Client("production")',
  "new Stripe(process.env.STRIPE_KEY)",
  'new KafkaClient("orders-consumer-group-eu-west-1")',
  'client = MongoClient("mongodb://localhost:27017")',
  'boto3.client("secretsmanager", region_name="eu-central-1")',
  'new ObjectId("507f1f77bcf86cd799439011")',
  `new Commit("${hex.slice(0, 40)}")`,
  `createHash("sha256").update("${key}")`,
  `expect(digest).toBe("${hex}")`,
  'jwt.verify(token, publicKey, { algorithms: ["RS256"] })',
  'new Worker("./resolve-conflicts2.worker.js")',
  `  FirebaseAuth: ${hex.slice(0, 40)}`,
  "curl -u user:password https://example.com",
  "postgres://postgres:postgres@localhost:5432/test",
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "password: !vault |",
  "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
  "Login: via SSO / Okta",
  "kind: Secret\nmetadata:\n  name: shop\ndata:\n  token: {{ .Values.token }}\n",
])("what only looks like one stays: %j", (text) => {
  expect(removeSecrets(text)).toEqual({ text, found: [] });
});
