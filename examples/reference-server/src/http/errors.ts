import createError from '@fastify/error';

/** What a flood is refused with is made as often as the flood likes: where it was made is no question worth an answer. */
const NO_STACK = false;

/** One client sent more requests than its limit, at the flood gate or at a route's rate limit. */
export class RateLimitedError extends createError('RATE_LIMITED', 'Too many requests', 429, Error, NO_STACK) {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** A request with more header lines than any client of ours sends (SV-04). */
export const HeadersTooManyError = createError('HEADERS_TOO_MANY', 'The request has too many headers', 431);

/** The server is in safe mode, where nothing is changed (OPS-4). */
export const SafeModeError = createError('SAFE_MODE', 'Nothing can be changed in safe mode', 403);

/** No route has this path and method. */
export const NotFoundError = createError('NOT_FOUND', 'There is nothing here', 404);

/** Unknown name or number, wrong password or code, disabled account: deliberately one error (ADM-3, APP-3). */
export const LoginFailedError = createError('LOGIN_FAILED', 'The sign-in details are wrong', 401);

/** Key or answer is missing, wrong, used or too old: deliberately one error. Nothing was learnt about the password (ADM-1). */
export const CaptchaInvalidError = createError('CAPTCHA_INVALID', 'The captcha was not answered', 400);

/** So many codes were sent that the next one needs a captcha, and none was answered right. Answer one, and ask again (APP-5). */
export class CaptchaRequiredError extends createError('CAPTCHA_REQUIRED', 'A captcha is needed', 400) {
  readonly clientAction = 'answer-captcha';
}

/** A limit of sending codes was reached: the number's, the client's or that of all together (APP-5). */
export class SmsLimitedError extends createError('SMS_LIMITED', 'Too many codes were sent', 429) {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super();
    this.retryAfterSeconds = Math.max(1, Math.ceil(retryAfterSeconds));
  }
}

/** The queue can't be reached: the message was not kept, and is not sent. */
export const NotificationQueueUnavailableError = createError(
  'NOTIFICATION_QUEUE_UNAVAILABLE',
  'The notification queue is unavailable',
  503,
);

/** Production has no gateway to send text messages by. */
export const SmsUnavailableError = createError('SMS_UNAVAILABLE', 'Text messages cannot be sent', 503);

/** The text is no number of a mobile phone. */
export const MobileInvalidError = createError('MOBILE_INVALID', 'This is not a mobile number', 400);

/** Codes go to numbers of the configured countries alone (APP-5): elsewhere a message may cost what somebody earns by it. */
export const MobileRegionRefusedError = createError(
  'MOBILE_REGION_REFUSED',
  'No messages are sent to numbers of this country',
  400,
);

/** The code is wrong, used, too old, or was tried too often: deliberately one error. No 401: the session is fine. */
export const SmsCodeWrongError = createError('SMS_CODE_WRONG', 'The code is wrong', 400);

/** Nobody can register an account at present (USR-3). */
export const RegistrationClosedError = createError('REGISTRATION_CLOSED', 'Registration is closed', 403);

/** More sign-ins wait for the password workers than could be answered in time. */
export class PasswordWorkersBusyError extends createError('PASSWORD_WORKERS_BUSY', 'Too many sign-ins at once', 503) {
  readonly retryAfterSeconds = 2;
}

/** The database can't be reached or doesn't answer: nothing was decided on a guess. */
export const DatabaseUnavailableError = createError('DATABASE_UNAVAILABLE', 'The database is unavailable', 503);

/** The database write of somebody whose account is gone. */
export const AccountGoneError = createError('ACCOUNT_GONE', 'The account no longer exists', 404);

/** After this change nobody would hold every permission, and some could never be granted again (USR-1). */
export const LastFullAdministratorError = createError(
  'LAST_FULL_ADMINISTRATOR',
  'Nobody would be left who may grant every permission',
  409,
);

/** Whoever grants, or changes somebody's rights or account, needs to hold all those rights himself (USR-1). */
export const GrantNotHeldError = createError(
  'GRANT_NOT_HELD',
  'You do not hold every permission that this concerns',
  403,
);

/** Disabling, deleting and resetting are for the accounts of others. */
export const OwnAccountError = createError('OWN_ACCOUNT', 'This cannot be done to your own account', 409);

export const UsernameTakenError = createError('USERNAME_TAKEN', 'Another account has this user name', 409);

export const RoleNameTakenError = createError('ROLE_NAME_TAKEN', 'Another role has this name', 409);

export const RoleInUseError = createError('ROLE_IN_USE', 'Administrators have this role', 409);

export const RoleUnknownError = createError('ROLE_UNKNOWN', 'A role does not exist', 400);

/** Somebody changed the thing since the caller read it. */
export const VersionConflictError = createError('VERSION_CONFLICT', 'This was changed meanwhile', 409);

/** The self-service change of a password, with a wrong old one. No 401: the session is fine. */
export const OldPasswordWrongError = createError('OLD_PASSWORD_WRONG', 'The old password is wrong', 400);

/** The disk of the stored files has no room. Nothing of the upload is left. */
export const StorageFullError = createError('STORAGE_FULL', 'There is no room for the file', 507);

/** The place of the stored files can't be reached, or failed. */
export class StorageUnavailableError extends createError('STORAGE_UNAVAILABLE', 'Files are unavailable', 503) {
  readonly retryAfterSeconds = 5;
}

/** None of the bytes that the client asks for are in the file (RFC 9110, 15.5.17). */
export const RangeNotSatisfiableError = createError('RANGE_NOT_SATISFIABLE', 'The file has no such bytes', 416);

/** A query whose values don't go together, or break a rule that no schema can say. */
export class QueryInvalidError extends createError('VALIDATION_FAILED', 'The query is not valid', 400) {
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
  constructor(errors: readonly { readonly pointer: string; readonly detail: string }[]) {
    super();
    this.errors = errors;
  }
}
