/** Names are compared without case, separators and character width: `Sms-Code`, `sms_code` and `smsCode` are equal. */
function normalizeName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Secret only as a whole name: other names contain them without being secret (`errorCode`, `sortKey`). */
const WHOLE_NAMES: ReadonlySet<string> = new Set([
  'auth',
  'authentication',
  'code',
  'cvc',
  'cvv',
  'enc',
  'jti',
  'key',
  'otp',
  'pass',
  'pin',
  'pw',
  'ticket',
  'totp',
]);

/** Secret anywhere in a name: `oldPassword`, `passwordHash`, `x-access-token`. */
const NAME_PARTS: readonly string[] = [
  'accesskey',
  'apikey',
  'authcode',
  'authorization',
  'basekey',
  'bearer',
  'captchacode',
  'cookie',
  'credential',
  'encryptionkey',
  'hmackey',
  'jwt',
  'loginticket',
  'masterkey',
  'onetimecode',
  'passphrase',
  'passwd',
  'password',
  'privatekey',
  'pwd',
  'recoverycode',
  'requestkey',
  'resetcode',
  'responsekey',
  'secret',
  'securitycode',
  'sharedkey',
  'signingkey',
  'smscode',
  'token',
  'verificationcode',
  'verifycode',
  'wrappedkey',
  '令牌',
  '口令',
  '密码',
  '密钥',
  '验证码',
];

/**
 * Values under a secret name that are not secret: the code of an error (`LOGIN_FAILED`) and the key of a parameter
 * (`auth.login.lock-seconds`). Neither people nor programs make secrets of this form.
 */
const OPEN_FORMS: Readonly<Record<string, RegExp>> = {
  code: /^[A-Z][A-Z0-9]{1,31}(?:_[A-Z0-9]{1,31}){1,8}$/,
  key: /^[a-z][a-z0-9-]{1,63}(?:\.[a-z][a-z0-9-]{1,63}){1,8}$/,
};

/** Whether a value under a sensitive name is not a secret. */
export function isOpenValue(name: string, value: unknown): boolean {
  // Whether there is a password is not secret.
  if (value === null || typeof value === 'boolean') return true;
  return typeof value === 'string' && (OPEN_FORMS[name]?.test(value) ?? false);
}

/** Members that name the member `value` beside them, as in a list of fields. */
const LABELS: readonly string[] = ['name', 'key', 'field', 'param', 'parameter', 'property', 'header'];

/** What the `value` of an object is, by the name beside it: `{ name: 'password', value: '…' }`. Null: not a secret. */
export function secretNamedIn(item: object): 'secret' | 'setting' | null {
  for (const label of LABELS) {
    if (!Object.hasOwn(item, label)) continue;
    const name: unknown = Reflect.get(item, label);
    if (typeof name !== 'string' || name.length > MAX_JUDGED_LENGTH || kindOfName(name) !== 'secret') continue;
    // The key of a parameter, such as `auth.token.idle-seconds`.
    return OPEN_FORMS.key?.test(name) ? 'setting' : 'secret';
  }
  return null;
}

/** `value`, `oldValue`, `values`. */
export function isValueMember(name: string): boolean {
  return /value[0-9s]?$/i.test(name);
}

const MOBILE_PARTS: readonly string[] = ['cellphone', 'mobile', 'msisdn', 'phone', '手机'];

/**
 * The names whose values are masked, in logs and in audit records: `whole` names and `parts` of names. They are
 * compared without case, separators and character width. Requirement AUD-3.
 */
export const SENSITIVE_NAMES: { readonly whole: readonly string[]; readonly parts: readonly string[] } = {
  whole: [...WHOLE_NAMES],
  parts: NAME_PARTS,
};

/** Longer names are judged by their beginning and their end: no field of a form or an API is named so. */
const MAX_JUDGED_LENGTH = 256;

/** Names whose kind is remembered. A client can send any names; the names of the service come first and stay. */
const MAX_REMEMBERED_NAMES = 2000;
const MAX_REMEMBERED_LENGTH = 64;
const kinds = new Map<string, NameKind>();

/** What a value is, by its name. */
export type NameKind = 'secret' | 'mobile' | 'plain';

export function kindOfName(name: string): NameKind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const kind = judgeName(name);
  if (kinds.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_LENGTH) kinds.set(name, kind);
  return kind;
}

function judgeName(name: string): NameKind {
  const judged =
    name.length <= MAX_JUDGED_LENGTH ? name : name.slice(0, MAX_JUDGED_LENGTH / 2) + name.slice(-MAX_JUDGED_LENGTH / 2);
  const normalized = normalizeName(judged);
  if (WHOLE_NAMES.has(normalized) || NAME_PARTS.some((part) => normalized.includes(part))) return 'secret';
  return MOBILE_PARTS.some((part) => normalized.includes(part)) ? 'mobile' : 'plain';
}
