import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** 30 days, in seconds. Longer sessions would need a different mechanism, such as remembered devices. */
const MAX_SESSION_SECONDS = 30 * 86_400;

/** A minute, the least that auth-tokens takes (TOK-12). */
const MIN_SESSION_SECONDS = 60;

const group = { name: 'sessions', texts: { en: 'Sessions', 'zh-CN': '会话' } } as const;

/** TOK-5. Read for every check of a session, so that a shorter lifetime applies to existing sessions at once. */
export const sessionParameters = {
  adminIdleSeconds: {
    key: 'auth.token.admin.idle-seconds',
    type: 'LONG',
    default: 1800,
    minimum: MIN_SESSION_SECONDS,
    maximum: MAX_SESSION_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'How long a session of an administrator lasts while it is not used',
    translations: { 'zh-CN': '管理员会话在无操作时的有效时间' },
    group,
  },
  adminAbsoluteSeconds: {
    key: 'auth.token.admin.absolute-seconds',
    type: 'LONG',
    default: 43_200,
    minimum: MIN_SESSION_SECONDS,
    maximum: MAX_SESSION_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'How long a session of an administrator lasts at most, even while it is used',
    translations: { 'zh-CN': '管理员会话的最长有效时间，持续使用也不延长' },
    group,
  },
  appIdleSeconds: {
    key: 'auth.token.app.idle-seconds',
    type: 'LONG',
    default: 604_800,
    minimum: MIN_SESSION_SECONDS,
    maximum: MAX_SESSION_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'How long a session of an app user lasts while it is not used',
    translations: { 'zh-CN': 'App 用户会话在无操作时的有效时间' },
    group,
  },
  appAbsoluteSeconds: {
    key: 'auth.token.app.absolute-seconds',
    type: 'LONG',
    default: MAX_SESSION_SECONDS,
    minimum: MIN_SESSION_SECONDS,
    maximum: MAX_SESSION_SECONDS,
    unit: 'seconds',
    isPublic: false,
    description: 'How long a session of an app user lasts at most, even while it is used',
    translations: { 'zh-CN': 'App 用户会话的最长有效时间，持续使用也不延长' },
    group,
  },
} as const;

type SessionLifetimes = ParameterValues<typeof sessionParameters>;

export const sessionParameterTable = defineParameterTable<typeof sessionParameters, FastifyRequest>({
  definitions: sessionParameters,
  rules: ({ adminIdleSeconds, adminAbsoluteSeconds, appIdleSeconds, appAbsoluteSeconds }) =>
    adminIdleSeconds <= adminAbsoluteSeconds && appIdleSeconds <= appAbsoluteSeconds
      ? []
      : ['idle-seconds must not exceed absolute-seconds'],
});

/** The current lifetimes. Returned synchronously if they are cached. */
export function readLifetimes({
  systemParameters,
}: Pick<FastifyInstance, 'systemParameters'>): SessionLifetimes | Promise<SessionLifetimes> {
  return systemParameters.atHand(sessionParameters) ?? systemParameters.read(sessionParameters);
}
