import { anyOf } from "../../domain/issue-text/phrases.ts";

/** Something that only a person may decide on. */
export interface Constraint {
  name: string;
  pattern: RegExp;
}

/** Words after which only a person may decide, in the languages that issues come in. */
export const KEYWORDS: readonly Constraint[] = [
  {
    name: "authentication",
    pattern: anyOf(
      "authenticat\\p{L}*|unauthenticated|oauth2?|openid|oidc|saml|sso|single sign-?on|2fa|mfa|two-factor|login (?:bypass|without)|auth(?: token| bypass| flow| middleware| header)?|аутентификаци\\p{L}*|автентифікаці\\p{L}*|authentifizierung|autenticación|authentification|autenticação|autenticazione|uwierzytelniani\\p{L}*",
      "认证|身份验证|鉴权|認証|인증",
    ),
  },
  {
    name: "authorization",
    pattern: anyOf(
      "authoriz\\p{L}*|authoris\\p{L}*|unauthori[sz]ed|access controls?|(?:user|admin) permissions?|roles? and permissions?|admin (?:access|rights?|role)|rbac|acls?|privilege\\p{L}*|permission (?:checks?|model|bypass|escalation)|авторизаци\\p{L}*|права доступа|авторизаці\\p{L}*|autorisierung|zugriffsrechte|autorización|autorisation|autorização|autoryzacj\\p{L}*",
      "授权|权限|認可|権限|권한",
    ),
  },
  {
    name: "passwords and credentials",
    pattern: anyOf(
      "passwords?|passwd|passphrases?|credentials?|пароль|парол\\p{L}+|учетны\\p{L}+ данны\\p{L}+|passw(?:ort|örter)\\p{L}*|zugangsdaten|contraseñas?|credenciales|mots? de passe|identifiants|senhas?|credenciais|hasł\\p{L}+",
      "密码|凭证|凭据|パスワード|資格情報|비밀번호|자격 ?증명",
    ),
  },
  {
    name: "secrets and keys",
    pattern: anyOf(
      "\\.env(?:\\.\\w+)?|(?:leak|rotat|revok|steal|expos|stolen)\\p{L}* (?:\\p{L}+ ){0,2}tokens?|tokens? (?:leak|expir|rotat|revo|validat|verif|theft|in (?:the )?(?:logs?|url))\\p{L}*|secrets?(?: keys?)?|api[ -]?keys?|private keys?|(?:access|auth|bearer|refresh|session|api|csrf|jwt)[ -]tokens?|jwts?|signing keys?|секретн\\p{L}+ ключ\\p{L}*|токен\\p{L}* доступа|geheim(?:e|er|nis)? schlüssel|clave (?:privada|secreta)|clé (?:privée|secrète)|chave (?:privada|secreta)",
      "密钥|私钥|秘密鍵|비밀 ?키",
    ),
  },
  {
    name: "vulnerability",
    pattern: anyOf(
      "vulnerabilit\\p{L}+|vulnerable|cve-\\d{4}-\\d{3,7}|exploit\\p{L}*|security|insecure|xss|csrf|ssrf|xxe|rce|remote code execution|(?:sql|command|code|shell|script|header|template|prompt)[ -]injections?|path traversal|directory traversal|prototype pollution|open redirect|redos|уязвимост\\p{L}*|безопасност\\p{L}*|вразливіст\\p{L}*|вразливост\\p{L}*|безпек\\p{L}+|sicherheit\\p{L}*|schwachstelle\\p{L}*|vulnerabilidad\\p{L}*|seguridad|vulnérabilité\\p{L}*|faille\\p{L}*|sécurité|segurança|sicurezza|vulnerabilità|bezpieczeństw\\p{L}+|podatnoś\\p{L}+",
      "漏洞|安全|注入|脆弱性|セキュリティ|취약점|보안",
    ),
  },
  {
    name: "cryptography",
    pattern: anyOf(
      "encrypt\\p{L}*|decrypt\\p{L}*|cryptograph\\p{L}*|crypto|tls|ssl|certificates?|шифровани\\p{L}*|сертификат\\p{L}*|verschlüssel\\p{L}*|zertifikat\\p{L}*|cifrado|certificados?|chiffrement|certificats?|criptografia|szyfrowani\\p{L}*",
      "加密|解密|证书|暗号|証明書|암호화|인증서",
    ),
  },
  {
    name: "payment",
    pattern: anyOf(
      "payments?|billing|credit cards?|pci(?:[- ]dss)?|checkout total|refunds?|stripe|paypal|оплат\\p{L}+|платеж\\p{L}*|zahlung\\p{L}*|pagos?|facturación|paiements?|facturation|pagamentos?|płatnoś\\p{L}+",
      "支付|付款|退款|決済|支払い|결제",
    ),
  },
  {
    name: "personal data",
    pattern: anyOf(
      "gdpr|pii|personal(?:ly identifiable)? (?:data|information)|personenbezogene\\p{L}*|персональны\\p{L}+ данны\\p{L}+|datos personales|données personnelles|dados pessoais|dane osobowe",
      "个人信息|隐私|個人情報|개인 ?정보",
    ),
  },
];

/** The same, where they are what the issue is about: in its title. */
export const TITLE_KEYWORDS: readonly Constraint[] = [
  {
    name: "authentication",
    pattern: anyOf(
      "log[- ]?ins?|logging (?:in|out)|log[- ]?outs?|sign[- ]?ins?|sign[- ]?ups?|авторизоваться|войти|anmeld\\p{L}+|iniciar sesión|inicio de sesión|se connecter|fazer login|accesso|logowani\\p{L}+",
      "登录|登陆|ログイン|로그인",
    ),
  },
];

/** Changes that cannot be taken back, or that widen what somebody may do. */
export const CHANGES: readonly Constraint[] = [
  {
    name: "deletion of data",
    pattern: anyOf(
      "drop(?:s|ping)? (?:the |all |old )?(?:tables?|columns?|databases?|schemas?|indexes)|truncat(?:e|es|ing) (?:the )?tables?|(?:delet|purg|wip|eras)(?:e|es|ing) (?:all |the |old |stale |every )*(?:user'?s?'? |customer'?s?'? |account )?(?:data|records|rows|accounts|users|customers|database|history)(?! (?:scripts?|files?|pages?|buttons?|modules?|functions?|components?|tests?|code|routes?|endpoints?|lists?|views?|docs?))|hard delete|удал\\p{L}+ (?:все )?(?:данны\\p{L}+|запис\\p{L}+|пользовател\\p{L}+)|(?:daten|datensätze|benutzer) löschen|(?:eliminar|borrar) (?:los |todos los )?(?:datos|registros|usuarios)|supprimer (?:les |toutes les )?(?:données|utilisateurs)|excluir (?:os |todos os )?(?:dados|usuários)",
      "删除(?:所有)?(?:数据|用户|记录)|清空|データ(?:を)?(?:全)?削除|데이터(?:를)? 삭제",
    ),
  },
  {
    name: "migration of the database",
    pattern: anyOf(
      "(?:database|db|schema|data) migrations?|migrat(?:e|ing) (?:the )?(?:database|schema|data)|alter table|миграци\\p{L}+ (?:базы|данных|бд)|datenbankmigration\\p{L}*|migración de (?:la base de )?datos|migration de (?:la base de )?données|migração (?:de|do) (?:dados|banco)",
      "数据库迁移|数据迁移|マイグレーション|마이그레이션",
    ),
  },
  {
    name: "weaker protection",
    pattern: anyOf(
      "(?:disabl|skip|bypass|turn(?:ing)? off|relax)(?:e|es|ing)? (?:the )?(?:auth\\p{L}*|verification|ssl|tls|certificate|csrf|cors|sandbox|rate limits?|signature|access checks?)\\p{L}*|run(?:s|ning)? as root|chmod 777",
    ),
  },
];
