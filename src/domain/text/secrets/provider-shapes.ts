/** A credential that its own look gives away. */
export interface SecretShape {
  name: string;
  /** Global; the group `secret` is what is removed, if not all of it. */
  pattern: RegExp;
  /** Texts without any of these are not searched; compared as written. */
  marks?: readonly string[];
  /** Whether only its place makes it a secret: a password of any look. */
  isPassword?: true;
}

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
  "Doppler token": "dp.pt. w30 dp.st. w30 dp.ct. w30 dp.sa. w30 dp.scim. w30 dp.audit. w30",
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
  "Facebook token": "EAAC a60 EAAB a60 EAAG a60",
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
    name: "password in a URL",
    isPassword: true,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[^\s:@/?#]{0,200}:[^\s@/]{1,200}@)/gi,
    marks: ["://"],
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
  { name: "JSON web token", pattern: /(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, marks: ["eyJ"] },
  {
    name: "authorization header",
    isPassword: true,
    pattern: /\b(?:Bearer|Basic)[ \t]{1,3}(?=[A-Za-z._~+/-]{0,200}[0-9])(?<secret>[\w.~+/-]{16,4000}={0,2})/gi,
    marks: ["earer", "asic", "EARER", "ASIC"],
  },
  {
    name: "authorization header",
    isPassword: true,
    pattern: /\bAuthorization["']?\s{0,3}:\s{0,3}["']?(?:Basic|Token)[ \t]{1,3}(?<secret>[\w.~+/-]{8,4000}={0,2})/gi,
    marks: ["uthorization", "UTHORIZATION"],
  },
  {
    name: "password of a command",
    isPassword: true,
    pattern: /\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]["']?[^\s:"']{1,100}:(?<secret>[^\s"'$[\]]{4,200})/g,
    marks: ["curl"],
  },
];
