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
  "Doppler token":
    "dp.pt. w30 dp.st. w30 dp.st.dev. w30 dp.st.stg. w30 dp.st.prd. w30 dp.ct. w30 dp.sa. w30 dp.scim. w30 dp.audit. w30",
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

/** Not what docs show in its place: `ghp_xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`. */
function isDrawn(found: string): boolean {
  return !/[xX*0._-]{10}$|EXAMPLE$/.test(found);
}

function beginning(name: string, words: string): SecretShape {
  const parts = words.split(" ");
  const starts = parts.filter((_, at) => at % 2 === 0);
  const sources = starts.map((start, at) => {
    const [kind = "", ...digits] = parts[at * 2 + 1] ?? "";
    return `${start.replaceAll(/[.$]/g, "\\$&")}${FOLLOWS[kind] ?? ""}{${digits.join("")},${LONGEST}}`;
  });
  const pattern = new RegExp(`(?<![A-Za-z0-9])(?:${sources.join("|")})`, "g");
  return { name, pattern, marks: starts, fits: isDrawn };
}

/** Those that their beginning gives away, which shows backwards too. */
export const TOKENS: readonly SecretShape[] = Object.entries(BEGINNINGS).map(([name, words]) => beginning(name, words));
