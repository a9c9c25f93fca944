import { ipWhitelistFault, MAX_WHITELIST_LENGTH } from './ip-whitelist.js';

/** A day. A longer lock is for an administrator to decide, who can disable the account. */
export const MAX_POLICY_SECONDS = 86_400;

/** NIST SP 800-63B, section 3.2.2 (rate limiting): at most 100 consecutive failed attempts on one account. */
const MAX_ACCOUNT_FAILURES = 100;

/** Enough for a large office behind one address. */
const MAX_IP_FAILURES = 10_000;

const group = { name: 'sign-in-protection', texts: { en: 'Sign-in protection', 'zh-CN': '登录保护' } } as const;

/**
 * The definitions of the login policy, as plain data for any table of dynamic parameters. Keys, types and defaults of
 * the first six are those of the interface document. Requirements LGN-1, LGN-6.
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
    description: 'Failure counting window, seconds',
    translations: { 'zh-CN': '统计登录失败次数的时间窗口' },
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
    description: 'Maximum failures within the window',
    translations: { 'zh-CN': '时间窗口内允许的最多失败次数' },
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
    description: 'Temporary lock time after the failure count is reached, seconds',
    translations: { 'zh-CN': '达到失败次数后的临时锁定时间' },
    group,
  },
  failureIncludeIpEnabled: {
    key: 'admin.auth.login.failure.include-ip.enabled',
    type: 'BOOLEAN',
    default: true,
    isPublic: false,
    description: 'Count failures by username, terminal and client IP; off: by username and terminal',
    translations: { 'zh-CN': '按用户名、终端和客户端 IP 统计失败次数；关闭时按用户名和终端统计' },
    group,
  },
  ipWhitelistEnabled: {
    key: 'admin.auth.login.ip-whitelist.enabled',
    type: 'BOOLEAN',
    default: false,
    // Used while the stored value is unusable: an accident must not turn the whitelist off.
    fallback: true,
    isPublic: false,
    description: 'Enable the admin login IP whitelist',
    translations: { 'zh-CN': '启用管理员登录 IP 白名单' },
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
      'Single IPs or CIDR ranges, comma-separated; empty while the whitelist is enabled: all logins are refused',
    translations: { 'zh-CN': '以逗号分隔的 IP 地址或 CIDR 网段；启用白名单而此项为空时拒绝所有登录' },
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
      'Maximum failures within the window on one username and terminal, from all client IPs together; 0: no limit',
    translations: { 'zh-CN': '时间窗口内同一用户名和终端在所有客户端 IP 上合计的最多失败次数；0 表示不限' },
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
    description: 'Maximum failures within the window from one client IP, on all accounts together; 0: no limit',
    translations: { 'zh-CN': '时间窗口内同一客户端 IP 在所有账号上合计的最多失败次数；0 表示不限' },
    group,
  },
} as const;
