/** Names are compared without case, separators and width: `Sms-Code`, `sms_code` and `smsCode` are one. */
function normalizeName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Secrets when they are the whole name, and everyday parts of others (`errorCode`, `sortKey`). */
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

/** Secrets wherever they stand in a name: `oldPassword`, `passwordHash`, `x-access-token`. */
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

/** What two of the names hold beside secrets: the code of an error (`LOGIN_FAILED`), the key of a parameter (`auth.login.lock-seconds`). No secret of people or programs looks so. */
const OPEN_FORMS: Readonly<Record<string, RegExp>> = {
  code: /^[A-Z][A-Z0-9]{1,31}(?:_[A-Z0-9]{1,31}){1,8}$/,
  key: /^[a-z][a-z0-9-]{1,63}(?:\.[a-z][a-z0-9-]{1,63}){1,8}$/,
};

/** Whether a value under a sensitive name is none of the secrets that the name stands for. */
export function isOpenValue(name: string, value: unknown): boolean {
  // Whether there is a password is no secret; whatever else it may be is.
  if (value === null || typeof value === 'boolean') return true;
  return typeof value === 'string' && (OPEN_FORMS[name]?.test(value) ?? false);
}

/** Members that name what the member `value` beside them is, as in a list of fields. */
const LABELS: readonly string[] = ['name', 'key', 'field', 'param', 'parameter', 'property', 'header'];

/** What the values of an object are by a name that stands in it: `{ name: 'password', value: '…' }`. Null: it names no secret. */
export function secretNamedIn(item: object): 'secret' | 'setting' | null {
  for (const label of LABELS) {
    if (!Object.hasOwn(item, label)) continue;
    const name: unknown = Reflect.get(item, label);
    if (typeof name !== 'string' || name.length > MAX_JUDGED_LENGTH || kindOfName(name) !== 'secret') continue;
    // The key of a parameter: `auth.token.idle-seconds`.
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
 * What is masked by its name, in logs and audit records alike: `whole` names, and `parts` of names. Compared without
 * case, separators and width. Requirement AUD-3.
 */
export const SENSITIVE_NAMES: { readonly whole: readonly string[]; readonly parts: readonly string[] } = {
  whole: [...WHOLE_NAMES],
  parts: NAME_PARTS,
};

/** Longer names are nobody's fields, and are judged by their beginning and their end. */
const MAX_JUDGED_LENGTH = 256;

const KINDS_KEPT = 2000;
const kinds = new Map<string, NameKind>();

/** What a value is, by the name that it has. */
export type NameKind = 'secret' | 'mobile' | 'plain';

export function kindOfName(name: string): NameKind {
  const known = kinds.get(name);
  if (known !== undefined) return known;
  const kind = judgeName(name);
  // A client can send any names: those kept are bounded, and the names of the service come first.
  if (kinds.size < KINDS_KEPT && name.length <= 64) kinds.set(name, kind);
  return kind;
}

function judgeName(name: string): NameKind {
  const judged =
    name.length <= MAX_JUDGED_LENGTH ? name : name.slice(0, MAX_JUDGED_LENGTH / 2) + name.slice(-MAX_JUDGED_LENGTH / 2);
  const normalized = normalizeName(judged);
  if (WHOLE_NAMES.has(normalized) || NAME_PARTS.some((part) => normalized.includes(part))) return 'secret';
  return MOBILE_PARTS.some((part) => normalized.includes(part)) ? 'mobile' : 'plain';
}
