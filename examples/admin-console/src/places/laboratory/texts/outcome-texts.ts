import { defineTexts } from '../../../language/language.js';
import type { Outcome } from '../protocol/outcome.js';

const EN: Readonly<Record<Outcome, string>> = {
  read: 'Every stage let it pass. The handler read the data.',
  written: 'Every stage let it pass. The handler ran once, and the payment is recorded.',
  expired:
    'The time in the envelope is outside the accepted window, so it was refused right after it arrived. An envelope that somebody held back is worth nothing.',
  replayed:
    'The nonce was used before, so the replay guard refused it before any handler ran. A copy of a request takes no effect.',
  lost: 'No answer arrived. Whether it took effect is not known. A retry with the same key is safe: it takes effect at most once.',
  untrusted: 'What arrived is not the service’s answer to this request. The page does not show it.',
  other: 'The service refused it, with a code that this page does not know.',
  HOST_INVALID: 'The Host header is not valid. Nothing else was looked at.',
  HEADERS_TOO_MANY: 'It has too many headers. Nothing else was looked at.',
  TOKEN_MISSING: 'Nobody is signed in on it, so it was refused before its envelope or content was touched.',
  TOKEN_INVALID: 'The token is not one of this service. Nothing behind it was looked at.',
  SESSION_EXPIRED: 'The session of the token has expired. Nothing behind it was looked at.',
  SESSION_REVOKED: 'The session of the token was ended. Nothing behind it was looked at.',
  SESSION_SUPERSEDED: 'A newer sign-in ended the session of the token. Nothing behind it was looked at.',
  PASSWORD_CHANGED: 'The password changed, which ends every session. Nothing behind the token was looked at.',
  ACCOUNT_DISABLED: 'The account of the token is disabled. Nothing behind it was looked at.',
  SESSION_STORE_UNAVAILABLE: 'The service cannot look the session up, and without that it lets nobody in.',
  SESSION_LIFETIME_UNAVAILABLE: 'The service cannot tell how long sessions last, and without that it lets nobody in.',
  PERMISSION_DENIED: 'The token is good, but this account may not do this. The envelope was not opened.',
  PASSWORD_CHANGE_REQUIRED:
    'The token is good, but its owner has to change the password first. The envelope was not opened.',
  PERMISSIONS_UNAVAILABLE: 'The service cannot look the permissions up, and without them it allows nothing.',
  RATE_LIMITED:
    'This address has sent too many requests. Wait a moment. No body was read, and no nonce or key was used up.',
  SAFE_MODE: 'This service is a demonstration, where nothing can be changed. The body was not read.',
  ENVELOPE_REQUIRED: 'It came in the clear, and this service accepts envelopes only.',
  ENVELOPE_VERSION_UNSUPPORTED: 'The header names a version of the protocol that the service does not know.',
  ENVELOPE_MALFORMED: 'The envelope does not have the right form. No key was touched.',
  ENVELOPE_TOO_LARGE: 'The envelope is larger than the service accepts. No key was touched.',
  ENVELOPE_KEY_UNKNOWN:
    'It was sealed for a key that the service does not have. The page has read the key again: send it once more.',
  ENVELOPE_KEY_UNAVAILABLE: 'The service cannot use its private key at the moment. Nothing was used up: try again.',
  ENVELOPE_REJECTED:
    'The envelope was changed on its way, so it does not open. Wrapped key, ciphertext and tag all get this same answer: it gives an attacker no information. The nonce is not used up.',
  ENVELOPE_REPLAY_STORE_UNAVAILABLE: 'The nonce could not be recorded. The service refuses rather than risk a replay.',
  ENVELOPE_PLAINTEXT_INVALID: 'The envelope opened, but what it holds is not a query and a body.',
  CONTENT_ENCODING_UNSUPPORTED: 'The body is compressed, which the service does not accept.',
  MEDIA_TYPE_UNSUPPORTED: 'The body is not JSON by its header.',
  BODY_MALFORMED: 'The body is not well-formed JSON. No handler ran.',
  BODY_TOO_LARGE: 'The body is larger than the service accepts. No handler ran.',
  VALIDATION_FAILED:
    'The content does not follow the schema. No handler ran, and the idempotency key is still free for a corrected request.',
  IDEMPOTENCY_KEY_REQUIRED: 'This write needs an idempotency key. No handler ran.',
  IDEMPOTENCY_KEY_INVALID: 'The idempotency key is not a UUID. No handler ran.',
  IDEMPOTENCY_BODY_UNSUPPORTED: 'The service cannot compare this body with a retry. No handler ran.',
  IDEMPOTENCY_PROCESSING: 'A request with this key is running at this moment, so this one did nothing.',
  IDEMPOTENCY_SUBMITTED:
    'This key was used by the same request before, so the handler did not run again. The payment exists exactly once.',
  IDEMPOTENCY_OUTCOME_UNKNOWN:
    'An earlier request with this key was cut off. The service does not run it again blindly.',
  IDEMPOTENCY_DIGEST_MISMATCH:
    'The key belongs to a request with other content, so this one did nothing. A key can never pay for something else.',
  IDEMPOTENCY_STORE_UNAVAILABLE:
    'The key could not be recorded. The service refuses rather than risk a second payment.',
  ACCOUNT_GONE: 'Every stage let it pass, but the account no longer exists.',
  INTERNAL_ERROR: 'Something went wrong inside. The request id leads to the log of the service.',
  DATABASE_UNAVAILABLE: 'The database is away. At which stage, the answer does not say.',
  STORE_UNAVAILABLE: 'A store is away. At which stage, the answer does not say.',
  AUDIT_UNAVAILABLE:
    'It could not be recorded in the audit log, so it is not confirmed. A retry with the same key shows the outcome.',
};

const ZH: Readonly<Record<Outcome, string>> = {
  read: '所有阶段均通过，服务已读取数据。',
  written: '所有阶段均通过，服务执行了一次，付款已记录。',
  expired: '信封中的时间超出允许范围，因此一到达即被拒绝。被人截留的信封毫无价值。',
  replayed: '随机数已经用过，因此在执行之前即被防重放阶段拒绝。请求的副本不会生效。',
  lost: '未收到应答，无法得知是否生效。使用相同的幂等键重试是安全的：最多生效一次。',
  untrusted: '收到的不是服务对此请求的应答，因此不予显示。',
  other: '服务拒绝了请求，但本页面不认识该代码。',
  HOST_INVALID: 'Host 头无效，未检查其他内容。',
  HEADERS_TOO_MANY: '请求头过多，未检查其他内容。',
  TOKEN_MISSING: '请求未携带令牌，因此在处理信封和内容之前即被拒绝。',
  TOKEN_INVALID: '令牌不属于此服务，未检查后续内容。',
  SESSION_EXPIRED: '令牌的会话已过期，未检查后续内容。',
  SESSION_REVOKED: '令牌的会话已被终止，未检查后续内容。',
  SESSION_SUPERSEDED: '令牌的会话已被新的登录取代，未检查后续内容。',
  PASSWORD_CHANGED: '密码已更改，所有会话随之结束，未检查后续内容。',
  ACCOUNT_DISABLED: '令牌的账号已停用，未检查后续内容。',
  SESSION_STORE_UNAVAILABLE: '服务无法查询会话，因此不放行任何人。',
  SESSION_LIFETIME_UNAVAILABLE: '服务无法得知会话的有效期，因此不放行任何人。',
  PERMISSION_DENIED: '令牌有效，但此账号无权执行。信封未被解开。',
  PASSWORD_CHANGE_REQUIRED: '令牌有效，但其所有者须先修改密码。信封未被解开。',
  PERMISSIONS_UNAVAILABLE: '服务无法查询权限，因此不允许任何操作。',
  RATE_LIMITED: '此地址的请求过多，请稍候。请求体未读取，随机数和幂等键均未消耗。',
  SAFE_MODE: '此服务为演示环境，不能更改任何内容。请求体未读取。',
  ENVELOPE_REQUIRED: '请求以明文到达，而此服务只接受信封。',
  ENVELOPE_VERSION_UNSUPPORTED: '请求头中的协议版本不受支持。',
  ENVELOPE_MALFORMED: '信封格式不正确，未动用任何密钥。',
  ENVELOPE_TOO_LARGE: '信封超过服务的上限，未动用任何密钥。',
  ENVELOPE_KEY_UNKNOWN: '信封所用的密钥不为服务所知。页面已重新读取密钥，请再次发送。',
  ENVELOPE_KEY_UNAVAILABLE: '服务暂时无法使用私钥。没有任何消耗，请重试。',
  ENVELOPE_REJECTED:
    '信封在途中被改动，无法解开。无论改动的是密钥、密文还是标签，应答都相同，不向攻击者透露任何信息。随机数未被消耗。',
  ENVELOPE_REPLAY_STORE_UNAVAILABLE: '无法记录随机数。服务宁可拒绝，也不冒重放的风险。',
  ENVELOPE_PLAINTEXT_INVALID: '信封已解开，但其中不是查询与请求体。',
  CONTENT_ENCODING_UNSUPPORTED: '请求体经过压缩，服务不接受。',
  MEDIA_TYPE_UNSUPPORTED: '按请求头，请求体不是 JSON。',
  BODY_MALFORMED: '请求体不是合法的 JSON，未执行业务。',
  BODY_TOO_LARGE: '请求体超过服务的上限，未执行业务。',
  VALIDATION_FAILED: '内容不符合规则，未执行业务。幂等键仍可用于更正后的请求。',
  IDEMPOTENCY_KEY_REQUIRED: '此写入需要幂等键，未执行业务。',
  IDEMPOTENCY_KEY_INVALID: '幂等键不是 UUID，未执行业务。',
  IDEMPOTENCY_BODY_UNSUPPORTED: '服务无法将此请求体与重试比较，未执行业务。',
  IDEMPOTENCY_PROCESSING: '使用此幂等键的请求正在执行，因此本次什么也没有做。',
  IDEMPOTENCY_SUBMITTED: '相同的请求已用过此幂等键，因此没有再次执行。付款只有一笔。',
  IDEMPOTENCY_OUTCOME_UNKNOWN: '使用此幂等键的上一次请求被中断。服务不会盲目地再次执行。',
  IDEMPOTENCY_DIGEST_MISMATCH: '此幂等键属于内容不同的请求，因此本次什么也没有做。一个键不能用来支付别的内容。',
  IDEMPOTENCY_STORE_UNAVAILABLE: '无法记录幂等键。服务宁可拒绝，也不冒重复付款的风险。',
  ACCOUNT_GONE: '所有阶段均通过，但账号已不存在。',
  INTERNAL_ERROR: '服务内部出错。可凭请求编号查阅服务日志。',
  DATABASE_UNAVAILABLE: '数据库不可用。应答未说明发生在哪个阶段。',
  STORE_UNAVAILABLE: '存储不可用。应答未说明发生在哪个阶段。',
  AUDIT_UNAVAILABLE: '无法写入审计日志，因此未确认结果。使用相同的幂等键重试即可得知结果。',
};

/** One sentence for each outcome: what decided, and what it means. */
export const outcomeTexts = defineTexts({ en: EN, 'zh-CN': ZH });
