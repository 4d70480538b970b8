import { isMadeUp, isPlaceholder, isRandom } from "./credible.ts";
import type { SecretShape } from "./secret-shape.ts";

/**
 * Beginnings of credentials, each with what follows it. `w` stands for letters, digits, `_` and `-`, `a` for letters and
 * digits, `A` for capitals and digits, `x` for hexadecimal digits; `.` is itself. The number is the least length.
 */
const BEGINNINGS: Record<string, string> = {
  "AWS access key": "AKIA A16 ASIA A16 ABIA A16 ACCA A16 A3TX A16 ABSK a100",
  "Alibaba key": "LTAI a16",
  "Tencent key": "AKID a32",
  "Scaleway key": "SCW A17",
  "Google key": "AIza w35 GOCSPX- w28 ya29. w20 AQ.Ab8 w30",
  "GitHub token": "ghp_ a30 gho_ a30 ghs_ a30 ghr_ a30 ghu_ a30 github_pat_ w22",
  "GitLab token":
    "glpat- w16 gldt- w16 glrt- w16 glcbt- w16 glptt- w16 glsoat- w16 glft- w16 glimt- w16 glagent- w16 gloas- w16 glffct- w16 glwt- w16 GR1348941 w20",
  "Atlassian token": "ATATT3 w20 ATCTT3 w20 ATBB a24",
  "Anthropic key": "sk-ant- w16",
  "Perplexity key": "pplx- a32",
  "Groq key": "gsk_ a32",
  "xAI key": "xai- a32",
  "Replicate token": "r8_ a32",
  "NVIDIA key": "nvapi- w32",
  "LangSmith key": "lsv2_pt_ w32 lsv2_sk_ w32",
  "Pinecone key": "pcsk_ w32",
  "Hugging Face token": "hf_ a30 api_org_ a30",
  "Together key": "tgp_v1_ w32",
  "Fireworks key": "fw_ a22",
  "Stripe key": "sk_live_ a16 sk_test_ a16 rk_live_ a16 rk_test_ a16 sk_prod_ a16 whsec_ a16",
  "Square token": "sq0atp- w22 sq0csp- w40 EAAAE w55 EAAAl w55",
  "Shopify token": "shpat_ x32 shpca_ x32 shppa_ x32 shpss_ x32",
  "Razorpay key": "rzp_live_ a14 rzp_test_ a14",
  "Plaid token": "access-sandbox- w36 access-development- w36 access-production- w36",
  "Flutterwave key": "FLWSECK- w30 FLWSECK_TEST- w30",
  "PayPal token": "access_token$production$ a16",
  "EasyPost key": "EZAK a50 EZTK a50",
  "Shippo token": "shippo_live_ x32 shippo_test_ x32",
  "Slack token":
    "xoxa- w10 xoxb- w10 xoxe- w10 xoxo- w10 xoxp- w10 xoxr- w10 xoxs- w10 xoxc- w10 xoxd- w10 xapp- w10 xwfp- w20",
  "Twilio key": "SK x32",
  "Mailgun key": "key- x32",
  "Brevo key": "xkeysib- x48 xsmtpsib- x48",
  "Vault token": "hvs. w20 hvb. w20 hvr. w20",
  "Doppler token": "dp.pt. w30 dp.st. w30 dp.st.dev. w30 dp.st.stg. w30 dp.st.prd. w30 dp.ct. w30 dp.sa. w30 dp.scim. w30 dp.audit. w30",
  "1Password token": "ops_eyJ w60",
  "age key": "AGE-SECRET-KEY-1 A50",
  "npm token": "npm_ a36",
  "PyPI token": "pypi- w50",
  "RubyGems key": "rubygems_ x48",
  "crates.io token": "cio a32",
  "NuGet key": "oy2 a43",
  "Clojars token": "CLOJARS_ a60",
  "Packagist token": "packagist_ w40",
  "Artifactory key": "AKCp a60 cmVmd a55",
  "Docker token": "dckr_pat_ w20 dckr_oat_ w20",
  "DigitalOcean token": "doo_v1_ x60 dop_v1_ x60 dor_v1_ x60",
  "Heroku key": "HRKU- w36",
  "Fly token": "fm1_ w60 fm2_ w60 fo1_ w40",
  "Netlify token": "nfp_ a36 nfc_ a36",
  "Vercel token": "vercel_blob_rw_ w30 vcp_ a24 vci_ a24 vca_ a24",
  "Render key": "rnd_ a28",
  "Supabase key": "sbp_ x40 sb_secret_ w20",
  "PlanetScale token": "pscale_tkn_ w32 pscale_pw_ w32 pscale_oauth_ w32",
  "Neon key": "napi_ a40",
  "Databricks token": "dapi x32",
  "Cloudflare key": "v1.0- x24 cfut_ w40 cfat_ w40",
  "Yandex key": "AQVN w35 y0_ w50",
  "Grafana token": "glsa_ w40 glc_eyJ w30",
  "New Relic key": "NRAK- A27 NRII- w32 NRJS- x19 NRSP- w30",
  "Sentry token": "sntrys_ w60 sntryu_ x60",
  "Dynatrace token": "dt0c01. A24 dt0s16. A24 dt0s01. A8",
  "PostHog key": "phx_ w40",
  "Linear key": "lin_api_ a36 lin_oauth_ x60",
  "Notion token": "ntn_ a40 secret_ a43",
  "Figma token": "figd_ w36",
  "Postman key": "PMAK- w40",
  "Contentful token": "CFPAT- w40",
  "HubSpot token": "pat-na1- w36 pat-eu1- w36 pat-ap1- w36",
  "Typeform token": "tfp_ w40",
  "Prefect key": "pnu_ a36",
  "Buildkite token": "bkua_ x40",
  "CircleCI token": "CCIPAT_ w30 CCIPRJ_ w30",
  "Sonar token": "sqp_ x40 squ_ x40 sqa_ x40",
  "Pulumi token": "pul- x40",
  "Sourcegraph token": "sgp_ w40",
  "LaunchDarkly key": "sdk-00 w30 api-00 w30",
  "Tailscale key": "tskey-auth- w20 tskey-api- w20 tskey-client- w20",
  "Duffel token": "duffel_test_ w40 duffel_live_ w40",
  "Adobe secret": "p8e- a32",
  "Readme key": "rdme_ a60",
  "Resend key": "re_live_ a16",
  "Facebook token": "EAAC a60 EAAB a60 EAAG a60 EAAJ a60 EAAM a60 EAAD a60 IGQV w60",
  "Google token": "1//0 w40",
  "model provider's key":
    "tvly- w20 jina_ a40 csk- a32 pa- a40 apify_api_ a30 fc- x32 e2b_ a30 rpa_ A30 lin_wh_ a30 bb_live_ w20 nyk_ w30",
  "Honeycomb key": "hcaik_ a40 hcxik_ a40 hcbik_ a40 hcamk_ a40",
  "Axiom token": "xaat- w30 xapt- w30",
  "Trello token": "ATTA x60",
  "Adyen key": "AQE w80",
  "Mollie key": "live_ a30 test_ a30",
  "Paddle key": "pdl_live_apikey_ w30 pdl_sdbx_apikey_ w30",
  "Polar token": "polar_pat_ a30 polar_oat_ a30 polar_whs_ a20",
  "Stytch secret": "secret-live- w30 secret-test- w30",
  "Inngest key": "signkey-prod- x40 signkey-test- x40",
  "Deno token": "ddp_ a30 ddw_ a30 ddo_ a30",
  "dbt token": "dbtc_ w30 dbtu_ w30 dbts_ w30",
  "n8n key": "n8n_api_ w30",
  "Aiven password": "AVNS_ w15",
  "Unkey key": "unkey_ w16",
  "Chromatic token": "chpt_ a12",
  "Depot token": "depot_project_ w40 depot_user_ w40 depot_org_ w40",
  "Checkly key": "cu_ x30",
  "Discord token": "mfa. w60",
  "Expo token": "expo_ w30",
  "Zuplo key": "zpka_ w30",
  "Tailscale token": "tskey- w20",
  "Weights & Biases key": "wandb_v1_ w40",
};
const FOLLOWS: Record<string, string> = { w: "[\\w-]", a: "[A-Za-z0-9]", A: "[A-Z0-9]", x: "[a-fA-F0-9]" };
/** More belongs to no credential. */
const LONGEST = 400;

function beginning(name: string, words: string): SecretShape {
  const parts = words.split(" ");
  const starts = parts.filter((_, at) => at % 2 === 0);
  const sources = starts.map((start, at) => {
    const [kind = "", ...digits] = parts[at * 2 + 1] ?? "";
    return `${start.replaceAll(/[.$]/g, "\\$&")}${FOLLOWS[kind] ?? ""}{${digits.join("")},${LONGEST}}`;
  });
  return { name, pattern: new RegExp(`(?<![A-Za-z0-9])(?:${sources.join("|")})`, "g"), marks: starts };
}

/** Those that their beginning gives away, which shows backwards too. */
export const TOKENS: readonly SecretShape[] = Object.entries(BEGINNINGS).map(([name, words]) => beginning(name, words));

/** What a header holds; a name with a password of the docs is none. */
function isCredential(found: string): boolean {
  return !isPlaceholder(Buffer.from(found, "base64").toString("latin1").split(":")[1] ?? "?");
}

const KEY_END = "(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)";

/**
 * Shapes of well-known credentials. Every pattern runs in linear time on any input: repetitions are bounded or can
 * only begin where a run of their characters begins, and none are nested.
 */
export const SHAPES: readonly SecretShape[] = [
  {
    name: "private key",
    pattern: new RegExp(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?${KEY_END}`, "g"),
    marks: ["PRIVATE KEY"],
  },
  {
    name: "private key",
    pattern: /---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----[\s\S]*?(?:---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----|$)/g,
    marks: ["SSH2"],
  },
  {
    name: "private key",
    pattern: /PuTTY-User-Key-File-\d:[\s\S]*?(?:Private-(?:MAC|Hash):[^\n]*|$)/g,
    marks: ["PuTTY-User-Key-File"],
  },
  {
    name: "private key",
    pattern: /untrusted comment: [^\n]{0,200}(?:secret|private) key[^\n]{0,100}\n(?<secret>[A-Za-z0-9+/=]{40,400})/gi,
    keywords: ["untrusted comment"],
  },
  {
    name: "private key",
    pattern: /"(?:d|k|p|q|dp|dq|qi)"\s{0,5}:\s{0,5}"(?<secret>[\w-]{20,2000})"/g,
    marks: ['"kty"'],
  },
  {
    name: "private key",
    pattern: /(?:private[_ -]?key|wallet|secret|PRIV(?:ATE)?_?KEY)[\w "']{0,20}[=:][\s"']{0,5}(?<secret>(?:0x)?[a-f0-9]{64}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])/gi,
    keywords: ["key", "wallet", "secret"],
  },
  {
    name: "seed phrase",
    pattern: /(?:mnemonic|seed[ _-]?(?:phrase|words?)|recovery[ _-]?phrase)["']?[\w ]{0,20}[=:]\s{0,5}["'`]?(?<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})/gi,
    keywords: ["mnemonic", "seed", "recovery"],
  },
  {
    name: "password hash",
    pattern: /(?<![\w$])\$(?:2[abxy]?\$\d{2}\$[./A-Za-z0-9]{53}|(?:1|5|6|apr1|y|7|md5)\$[./A-Za-z0-9$=,]{0,40}\$[./A-Za-z0-9]{20,100}|argon2(?:id?|d)\$[\w$=,.+/-]{30,200})/g,
    marks: ["$"],
  },
  {
    name: "password in a URL",
    isPassword: true,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[^\s:@/?#]{0,200}:[^\s@/]{1,200}@)/gi,
    marks: ["://"],
    fits: (found) => !isPlaceholder(found.slice(found.indexOf(":") + 1, -1)),
  },
  ...TOKENS,
  // Requires a digit: file and package names use the same letters and hyphens.
  {
    name: "API key",
    pattern: /(?<![A-Za-z0-9_-])sk[-_](?=[A-Za-z_-]{0,200}[0-9])[\w-]{20,255}/g,
    marks: ["sk-", "sk_"],
  },
  { name: "Resend key", pattern: /(?<![A-Za-z0-9_])re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{18,30}/g, marks: ["re_"] },
  {
    name: "Terraform token",
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,200}/g,
    marks: [".atlasv1."],
  },
  { name: "SendGrid key", pattern: /(?<![A-Za-z0-9])SG\.[\w-]{16,64}\.[\w-]{16,64}/g, marks: ["SG."] },
  { name: "Airtable token", pattern: /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/g, marks: ["pat"] },
  { name: "Mailchimp key", pattern: /(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/g, marks: ["-us"] },
  { name: "Vault token", pattern: /(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w.])/g, marks: ["s."] },
  {
    name: "1Password key",
    pattern: /(?<![A-Za-z0-9])A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}/g,
    marks: ["A3-"],
  },
  { name: "Azure secret", pattern: /(?<![\w~.])[\w~.]{3}\dQ~[\w~.-]{31,34}/g, marks: ["Q~"] },
  {
    name: "Azure key",
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9+/]{20,80}(?:AzCa|ASPSK|AZDO|ACDb|\+ASt|AIoT|APIM|AzSe)[A-Za-z0-9+/]{4,20}={0,2}/g,
    marks: ["AzCa", "ASPSK", "AZDO", "ACDb", "+ASt", "AIoT", "APIM", "AzSe"],
  },
  {
    name: "Salesforce session",
    pattern: /(?<![A-Za-z0-9])00D[A-Za-z0-9]{12,15}![\w.]{60,200}/g,
    marks: ["00D"],
  },
  { name: "Infisical token", pattern: /(?<![\w.])st\.[a-f0-9-]{20,60}\.[a-f0-9]{20,60}\.[a-f0-9]{20,60}/g, marks: ["st."] },
  {
    name: "session cookie",
    isPassword: true,
    pattern: /\b(?:Set-)?Cookie["']?\s{0,3}:\s{0,3}["']?[^\n"']{0,300}?(?:sess\w{0,10}|sid|auth\w{0,10}|token|jwt)=(?<secret>[\w%.+/=-]{16,2000})/gi,
    keywords: ["cookie"],
    fits: isRandom,
  },
  {
    name: "key in an address",
    isPassword: true,
    pattern: /[?&](?:code|key|api_?key|access_token|auth|token|secret|pass(?:word)?)=(?<secret>[\w%+/=~.-]{16,400})/gi,
    marks: ["?", "&"],
    fits: (found) => isRandom(found) && !isMadeUp(found),
  },
  {
    name: "Azure key",
    pattern: /(?:AccountKey|SharedAccessKey|SharedSecret)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/gi,
    marks: ["Key=", "key=", "Secret=", "secret="],
  },
  {
    name: "signed address",
    pattern: /[?&](?:sig|X-Amz-Signature|Signature)=(?<secret>[\w%+/=-]{40,200})/g,
    marks: ["ig"],
  },
  {
    name: "Discord token",
    pattern: /(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/g,
    marks: ["."],
  },
  {
    name: "webhook",
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks|webhook\.office\.com\/webhookb2|hooks\.zapier\.com\/hooks\/catch|chat\.googleapis\.com\/v1\/spaces|oapi\.dingtalk\.com\/robot\/send\?access_token=)[\w./?=&@%-]{20,255}/g,
    marks: ["hook", "/spaces", "access_token="],
  },
  { name: "Telegram token", pattern: /(?<![0-9])\d{8,10}:AA[\w-]{33}(?![\w-])/g, marks: [":AA"] },
  { name: "Asana token", pattern: /(?<![A-Za-z0-9/])[0-2]\/\d{13,17}(?:\/\d{13,17})?:[a-f0-9]{32}/g, marks: ["/"] },
  { name: "Mapbox token", pattern: /(?<![\w.])[st]k\.eyJ[\w-]{20,400}\.[\w-]{16,100}/g, marks: ["k.eyJ"] },
  { name: "Dropbox token", pattern: /(?<![\w.])sl\.(?:[a-z]\.)?[\w-]{100,1500}/gi, marks: ["sl."] },
  { name: "JSON web token", pattern: /(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, marks: ["eyJ"] },
  {
    name: "authorization header",
    isPassword: true,
    pattern: /\b(?:Bearer|Basic)[ \t]{1,3}(?=[A-Za-z._~+/-]{0,200}[0-9])(?<secret>[\w.~+/-]{16,4000}={0,2})/gi,
    keywords: ["bearer", "basic"],
    fits: isCredential,
  },
  {
    name: "authorization header",
    isPassword: true,
    pattern:
      /\b(?:Proxy-)?Authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Z][\w-]{1,20}[ \t]{1,3})?(?:\w{1,12}=)?["']?(?<secret>[\w.~+/-]{8,4000}={0,2})/gi,
    keywords: ["authorization"],
    fits: (found) => /\d/.test(found) && /[a-z]/i.test(found) && !isMadeUp(found) && isCredential(found),
  },
  {
    name: "password of a command",
    isPassword: true,
    pattern: /\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]["']?[^\s:"']{1,100}:(?<secret>[^\s"'$[\]]{4,200})/g,
    marks: ["curl"],
  },
  {
    name: "password of a command",
    isPassword: true,
    pattern: /\b(?:mysql|mariadb)\w{0,12}\b[^\n]{0,200}?\s-p(?<secret>[^\s"'$[\]-][^\s"'$[\]]{5,200})/g,
    marks: ["mysql", "mariadb"],
    fits: (found) => /\d/.test(found) && !isMadeUp(found),
  },
  {
    name: "password of a command",
    isPassword: true,
    pattern: /\b(?:docker|podman|helm|az|oc|cf)\b[^\n]{0,60}\slogin\b[^\n]{0,200}?\s-p[ =]["']?(?<secret>[^\s"'$[\]]{6,400})/g,
    marks: ["login"],
    fits: (found) => /\d/.test(found) && !isMadeUp(found),
  },
];
