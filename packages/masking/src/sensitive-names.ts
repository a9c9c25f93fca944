import { decodePercent } from './texts/decodings.js';
import { MASK } from './texts/spans.js';

/** Names are compared without case, separators and character width: `Sms-Code`, `sms_code` and `smsCode` are equal. */
function normalizeName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Names that are secret only as a whole. Other names contain them without being secret (`errorCode`, `sortKey`). */
const WHOLE_NAMES: ReadonlySet<string> = new Set([
  'auth',
  'authentication',
  'code',
  'cvc',
  'cvv',
  'enc',
  'handle',
  'jti',
  'key',
  'otp',
  'pass',
  'pgpass',
  'pin',
  'proof',
  'psk',
  'pw',
  'qsignature',
  'sig',
  'signature',
  'ticket',
  'totp',
  'xamzsignature',
  'xgoogsignature',
  'xosssignature',
]);

/** Words that are secret anywhere in a name: `oldPassword`, `passwordHash`, `x-access-token`. */
const NAME_PARTS: readonly string[] = [
  'accesskey',
  'accountkey',
  'apikey',
  'assertion',
  'authcode',
  'authorization',
  'basekey',
  'bearer',
  'captchacode',
  'codeverifier',
  'connectsid',
  'cookie',
  'credential',
  'csrf',
  'devicecode',
  'encryptionkey',
  'enrollmentcode',
  'enrolmentcode',
  'functionskey',
  'hmackey',
  'jwt',
  'kennwort',
  'loginticket',
  'masterkey',
  'mfacode',
  'onetimecode',
  'otpcode',
  'passcode',
  'passphrase',
  'passwd',
  'password',
  'passwort',
  'privatekey',
  'pwd',
  'recoverycode',
  'requestkey',
  'resetcode',
  'responsekey',
  'samlresponse',
  'secret',
  'securitycode',
  'sessid',
  'sessionid',
  'sharedkey',
  'signingkey',
  'smscode',
  'subscriptionkey',
  'token',
  'verificationcode',
  'verifycode',
  'wrappedkey',
  'xsrf',
  'пароль',
  'パスワード',
  '令牌',
  '口令',
  '动态码',
  '密码',
  '密碼',
  '密钥',
  '密鑰',
  '校验码',
  '私钥',
  '秘钥',
  '验证码',
  '驗證碼',
  '비밀번호',
];

/**
 * Values under a secret name that are not secret: the code of an error (`LOGIN_FAILED`) and the key of a parameter
 * (`auth.login.lock-seconds`). Secrets do not have this form, neither those of people nor those of programs.
 */
const OPEN_FORMS: Readonly<Record<string, RegExp>> = {
  code: /^[A-Z][A-Z0-9]{1,31}(?:_[A-Z0-9]{1,31}){1,8}$/,
  key: /^[a-z][a-z0-9-]{1,63}(?:\.[a-z][a-z0-9-]{1,63}){1,8}$/,
};

/** Whether a value under a sensitive name is not a secret. */
export function isOpenValue(name: string, value: unknown): boolean {
  // A flag, such as whether there is a password, is not secret.
  if (value === null || typeof value === 'boolean') return true;
  return typeof value === 'string' && (OPEN_FORMS[name]?.test(value) ?? false);
}

/** Members that name the member `value` of the same object, as in a list of fields or a JSON Patch (RFC 6902). */
const LABELS: readonly string[] = [
  ...['name', 'key', 'k', 'field', 'param', 'parameter', 'property', 'header', 'id', 'label', 'type', 'path'],
  ...['pointer', 'column', 'attribute', 'variable'],
];

/**
 * The kind of an object's `value`, by the name in the same object: `{ name: 'password', value: '…' }`. Null: not a
 * secret. At most `maxMembers` members are read, and `isSecret` judges the name.
 */
export function secretNamedIn(
  item: object,
  maxMembers: number,
  isSecret: (name: string) => boolean,
): 'secret' | 'setting' | null {
  let members = 0;
  for (const member in item) {
    members += 1;
    if (members > maxMembers) break;
    if (!rolesOf(member).isLabel || !Object.hasOwn(item, member)) continue;
    const name: unknown = Reflect.get(item, member);
    if (typeof name !== 'string' || !(isSecret(name) || isSecret(lastOfPath(name)))) continue;
    // The key of a parameter, such as `auth.token.idle-seconds`.
    return OPEN_FORMS.key?.test(name) ? 'setting' : 'secret';
  }
  return null;
}

/** Not `interval`. */
const SHORT_VALUE = /^v$|(?:^|[^A-Za-z])(?:val|VAL)s?$|(?:^|[a-z0-9])Vals?$/;

/** The two values of a change. */
const CHANGED_VALUE = /^(?:old|new)$/i;

/** `value`, `oldValue`, `values`, `val`, `newVal`, `v`, and of a change `old` and `new`. */
export function isValueMember(name: string): boolean {
  return /value[0-9s]?$/i.test(name) || SHORT_VALUE.test(name) || CHANGED_VALUE.test(name);
}

/** `pin` of the JSON Pointer `/user/pin` (RFC 6901). */
function lastOfPath(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Whether a text next to a value is the name of a secret, or a path to one. */
export function isSecretLabel(name: string): boolean {
  return isSecretName(name) || isSecretName(lastOfPath(name));
}

const LABEL_NAMES: ReadonlySet<string> = new Set(LABELS);

/** A name may have indexes (`codes[0]`, `user[code]`), but not a placeholder. */
const FIELD_NAME = /^(?!.*\[masked\])[\p{L}\p{N}_[\]-]{2,64}$/u;

/** Whether an item of a list can be the name of a field or a header. */
export function isFieldName(item: string): boolean {
  return item.length <= MAX_REMEMBERED_LENGTH && FIELD_NAME.test(item);
}

const MOBILE_PARTS: readonly string[] = ['cellphone', 'mobile', 'msisdn', 'phone', '手机'];

/**
 * The names whose values are masked, in logs and in audit records: `whole` names and `parts` of names. They are
 * compared without case, separators and character width.
 */
export const SENSITIVE_NAMES: { readonly whole: readonly string[]; readonly parts: readonly string[] } = {
  whole: [...WHOLE_NAMES],
  parts: NAME_PARTS,
};

/** Longer names are judged by their beginning and their end. Fields of forms and APIs have no such names. */
const MAX_JUDGED_LENGTH = 256;

/**
 * The maximum number of names whose kind is remembered. A client can send any names. The names of the service come
 * first and stay.
 */
const MAX_REMEMBERED_NAMES = 2000;
const MAX_REMEMBERED_LENGTH = 64;
const roles = new Map<string, NameRoles>();

/** The kind of a value, by its name. */
export type NameKind = 'secret' | 'mobile' | 'plain';

export function kindOfName(name: string): NameKind {
  return rolesOf(name).kind;
}

/** The kind of a value, by its name in a text. */
export interface NameRoles {
  readonly kind: NameKind;
  /** In a text, other words may precede a name without a blank: `请输入code`. */
  readonly isSecret: boolean;
  /** The value is a name: `name`, `Header`. */
  readonly isLabel: boolean;
  /** The value belongs to a label: `value`, `newValue`. */
  readonly isValue: boolean;
  /** The value may be the id of a session: `session`, `app_session`. Its form decides. */
  readonly isSession: boolean;
}

/** A word or a number of a session is shorter, or has no digits: `session=closed`, `session=12`. */
const SESSION_ID = /^(?=\S*\d)(?=\S*[A-Za-z])\S{8,}$|^\S{24,}$/;
const MAX_SESSION_ID_LENGTH = 4096;

/** Whether a text under a name that `isSession` has the form of a session id. */
export function isSessionId(value: string): boolean {
  return value.length <= MAX_SESSION_ID_LENGTH ? SESSION_ID.test(value) : true;
}

export function rolesOf(name: string): NameRoles {
  const known = roles.get(name);
  if (known !== undefined) return known;
  const kind = judgeName(name);
  const judged = {
    kind,
    isSecret: kind === 'secret' || isSecretAfterOtherScript(name),
    isLabel: LABEL_NAMES.has(name.toLowerCase()),
    isValue: isValueMember(name),
    isSession: kind !== 'secret' && name.length <= MAX_JUDGED_LENGTH && normalizeName(name).endsWith('session'),
  };
  if (roles.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_LENGTH) roles.set(name, judged);
  return judged;
}

function isSecretAfterOtherScript(name: string): boolean {
  const [, ascii] = /[^\0-\x7f]([\w-]+)$/.exec(name) ?? [];
  return ascii !== undefined && judgeName(ascii) === 'secret';
}

/** Whether a name in a text is secret. */
export function isSecretName(name: string): boolean {
  return rolesOf(name).isSecret;
}

/** Headers whose value has several named parts. */
export function isHeaderName(name: string): boolean {
  return /(?:cookie2?|authorization)$/i.test(name);
}

function isSecretEncoded(name: string): boolean {
  const decoded = decodePercent(name);
  return decoded !== null && judgeName(decoded.text) === 'secret';
}

function judgeName(name: string): NameKind {
  const whole = name.includes(MASK) ? name.replaceAll(MASK, 'x') : name;
  const judged =
    whole.length <= MAX_JUDGED_LENGTH
      ? whole
      : whole.slice(0, MAX_JUDGED_LENGTH / 2) + whole.slice(-MAX_JUDGED_LENGTH / 2);
  const normalized = normalizeName(judged);
  if (WHOLE_NAMES.has(normalized) || NAME_PARTS.some((part) => normalized.includes(part))) return 'secret';
  if (judged.includes('%') && isSecretEncoded(judged)) return 'secret';
  // `user[code]` is the member `code` of `user` in a form.
  if (judged.includes('[') && judged.split(/[[\]]+/).some((inner) => WHOLE_NAMES.has(normalizeName(inner))))
    return 'secret';
  return MOBILE_PARTS.some((part) => normalized.includes(part)) ? 'mobile' : 'plain';
}
