import { isMadeUp, isPlaceholder, isRandom } from "./credible.ts";
import { TOKENS } from "./provider-beginnings.ts";
import type { SecretShape } from "./secret-shape.ts";

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
  { name: "Relay token", pattern: /\brelay_pat_[\w-]{43}/g, marks: ["relay_pat_"] },
  { name: "Cloudflare key", pattern: /\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,200}/gi, marks: ["v1.0-"] },
  {
    name: "private key",
    pattern: new RegExp(`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\\s\\S]*?${KEY_END}`, "g"),
    marks: ["PRIVATE KEY"],
    // The rest of one may be still to come; docs show dots, crosses or a word in its place.
    fits: (found) => {
      const body = found.replaceAll(/-----[^-\n]{0,80}-----/g, "").trim();
      return body === "" || (/[A-Za-z0-9+/]{4}/.test(body) && !/^[\s.…x*<>[\]]*$/i.test(body));
    },
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
    pattern:
      /(?:private[_ -]?key|wallet|secret|PRIV(?:ATE)?_?KEY)[\w "']{0,20}[=:][\s"']{0,5}(?<secret>(?:0x)?[a-f0-9]{64}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])/gi,
    keywords: ["key", "wallet", "secret"],
  },
  {
    name: "seed phrase",
    pattern:
      /(?:mnemonic|seed[ _-]?(?:phrase|words?)|recovery[ _-]?phrase)["']?[\w ]{0,20}[=:]\s{0,5}["'`]?(?<secret>(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})/gi,
    keywords: ["mnemonic", "seed", "recovery"],
  },
  {
    name: "password hash",
    pattern:
      /(?<![\w$])\$(?:2[abxy]?\$\d{2}\$[./A-Za-z0-9]{53}|(?:1|5|6|apr1|y|7|md5)\$[./A-Za-z0-9$=,]{0,40}\$[./A-Za-z0-9]{20,100}|argon2(?:id?|d)\$[\w$=,.+/-]{30,200})/g,
    marks: ["$"],
  },
  {
    name: "password in a URL",
    isPassword: true,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[^\s:@/?#]{0,200}:[^\s@/]{1,200}@)/gi,
    marks: ["://"],
    fits: (found) => {
      const colon = found.indexOf(":");
      const [user, password] = [found.slice(0, colon), found.slice(colon + 1, -1)];
      return !isPlaceholder(password) && (user !== password || /\d/.test(user));
    },
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
    pattern:
      /(?<![A-Za-z0-9])[A-Za-z0-9+/]{20,80}(?:AzCa|ASPSK|AZDO|ACDb|\+ASt|AIoT|APIM|AzSe)[A-Za-z0-9+/]{4,20}={0,2}/g,
    marks: ["AzCa", "ASPSK", "AZDO", "ACDb", "+ASt", "AIoT", "APIM", "AzSe"],
  },
  {
    name: "Salesforce session",
    pattern: /(?<![A-Za-z0-9])00D[A-Za-z0-9]{12,15}![\w.]{60,200}/g,
    marks: ["00D"],
  },
  {
    name: "Infisical token",
    pattern: /(?<![\w.])st\.[a-f0-9-]{20,60}\.[a-f0-9]{20,60}\.[a-f0-9]{20,60}/g,
    marks: ["st."],
  },
  {
    name: "session cookie",
    isPassword: true,
    pattern:
      /\b(?:Set-)?Cookie["']?\s{0,3}:\s{0,3}["']?[^\n"']{0,300}?(?:sess\w{0,10}|sid|auth\w{0,10}|token|jwt)=(?<secret>[\w%.+/=-]{16,2000})/gi,
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
  {
    name: "webhook",
    pattern: /:\/\/[^\s/]{1,200}\/hooks\/(?<secret>[a-z0-9]{26})(?![\w-])/g,
    marks: ["/hooks/"],
    fits: isRandom,
  },
  {
    name: "Vault secret id",
    pattern: /\bsecret[_-]id["']?\s{0,3}[=:]\s{0,3}["']?(?<secret>[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})/gi,
    keywords: ["secret_id", "secret-id"],
  },
  { name: "Firebase key", pattern: /(?<![\w-])AAAA[\w-]{7}:APA91b[\w-]{60,300}/g, marks: [":APA91b"] },
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
    fits: (found) => !isPlaceholder(found),
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
    pattern:
      /\b(?:docker|podman|helm|az|oc|cf)\b[^\n]{0,60}\slogin\b[^\n]{0,200}?\s-p[ =]["']?(?<secret>[^\s"'$[\]]{6,400})/g,
    marks: ["login"],
    fits: (found) => /\d/.test(found) && !isMadeUp(found),
  },
];
