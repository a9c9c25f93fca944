import { ipWhitelistFault, MAX_WHITELIST_LENGTH } from './ip-whitelist.js';

/** A day. For a longer lock, an administrator can disable the account. */
export const MAX_POLICY_SECONDS = 86_400;

/** NIST SP 800-63B, section 3.2.2 (rate limiting): at most 100 consecutive failed attempts on one account. */
const MAX_ACCOUNT_FAILURES = 100;

/** Enough for a large office behind one address. */
const MAX_IP_FAILURES = 10_000;

const group = { name: 'sign-in-protection', texts: { en: 'Sign-in protection', 'zh-CN': '登录保护' } } as const;

/**
 * The definitions of the login policy, as plain data for any table of dynamic parameters. Keys, types and defaults of
 * the first six are those of the interface document.
 */
export const loginPolicyParameters = {
  failureWindowSeconds: {
    key: 'admin.auth.login.failure-window-seconds',
    type: 'LONG',
    default: 600,
    minimum: 1,
    maximum: MAX_POLICY_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'Counting window: how long failed sign-ins count together, from the first one on',
    translations: { 'zh-CN': '统计窗口：从首次登录失败起，在此时间内的失败合并计数' },
    group,
  },
  failureCount: {
    key: 'admin.auth.login.failure-count',
    type: 'LONG',
    default: 5,
    minimum: 1,
    maximum: MAX_ACCOUNT_FAILURES,
    unit: 'count',
    isPublic: false,
    description: 'Failed sign-ins of one username within the counting window that lock the username',
    translations: { 'zh-CN': '统计窗口内导致用户名被锁定的登录失败次数' },
    group,
  },
  lockSeconds: {
    key: 'admin.auth.login.lock-seconds',
    type: 'LONG',
    default: 600,
    minimum: 1,
    maximum: MAX_POLICY_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'How long a lock lasts that failed sign-ins have caused',
    translations: { 'zh-CN': '登录失败导致的锁定持续时间' },
    group,
  },
  failureIncludeIpEnabled: {
    key: 'admin.auth.login.failure.include-ip.enabled',
    type: 'BOOLEAN',
    default: true,
    isPublic: false,
    description:
      'Count the failed sign-ins of a username and terminal for each client IP separately; off: for all client IPs together',
    translations: { 'zh-CN': '同一用户名和终端的登录失败次数按客户端 IP 分别统计；关闭时所有客户端 IP 合并统计' },
    group,
  },
  ipWhitelistEnabled: {
    key: 'admin.auth.login.ip-whitelist.enabled',
    type: 'BOOLEAN',
    default: false,
    // The value while the stored value is unusable. An accident must not turn the whitelist off.
    fallback: true,
    isPublic: false,
    description: 'Administrators may sign in only from addresses of the IP whitelist',
    translations: { 'zh-CN': '仅允许管理员从 IP 白名单内的地址登录' },
    group,
  },
  ipWhitelistValues: {
    key: 'admin.auth.login.ip-whitelist.values',
    type: 'STRING',
    default: '',
    maxLength: MAX_WHITELIST_LENGTH,
    check: ipWhitelistFault,
    isPublic: false,
    description:
      'IP whitelist: single IPs or CIDR ranges, separated by commas; if it is empty while it is enabled, nobody can sign in',
    translations: { 'zh-CN': 'IP 白名单：IP 地址或 CIDR 网段，以逗号分隔；启用白名单而此项为空时，任何人都无法登录' },
    group,
  },
  accountFailureCount: {
    key: 'admin.auth.login.account-failure-count',
    type: 'LONG',
    default: 20,
    minimum: 0,
    maximum: MAX_ACCOUNT_FAILURES,
    unit: 'count',
    isPublic: false,
    description:
      'Failed sign-ins of one username and terminal within the counting window, from all client IPs together, that lock the username for every client IP; 0: no lock',
    translations: {
      'zh-CN':
        '统计窗口内同一用户名和终端在所有客户端 IP 上合计达到此失败次数后，在任何客户端 IP 上都被锁定；0 表示不锁定',
    },
    group,
  },
  ipFailureCount: {
    key: 'admin.auth.login.ip-failure-count',
    type: 'LONG',
    default: 100,
    minimum: 0,
    maximum: MAX_IP_FAILURES,
    unit: 'count',
    isPublic: false,
    description:
      'Failed sign-ins from one client IP within the counting window, of all usernames together, that lock the client IP; 0: no lock',
    translations: { 'zh-CN': '统计窗口内同一客户端 IP 在所有用户名上合计达到此失败次数后，该 IP 被锁定；0 表示不锁定' },
    group,
  },
} as const;
