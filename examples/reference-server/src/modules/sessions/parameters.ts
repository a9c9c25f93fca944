import { defineParameterTable, type ParameterValues } from '@sallyport/system-parameters';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A month: a session that long is a remembered device, and that is another thing. */
const MAX_SESSION_SECONDS = 30 * 86_400;

/** TOK-5. Read again for every check of a session: a shorter lifetime holds at once for the sessions there are. */
export const sessionParameters = {
  adminIdleSeconds: {
    key: 'auth.token.admin.idle-seconds',
    type: 'LONG',
    default: 1800,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'An administrator session ends after so long without a request, seconds',
  },
  adminAbsoluteSeconds: {
    key: 'auth.token.admin.absolute-seconds',
    type: 'LONG',
    default: 43_200,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'An administrator session ends after so long in any case, seconds',
  },
  appIdleSeconds: {
    key: 'auth.token.app.idle-seconds',
    type: 'LONG',
    default: 604_800,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'A session of an app user ends after so long without a request, seconds',
  },
  appAbsoluteSeconds: {
    key: 'auth.token.app.absolute-seconds',
    type: 'LONG',
    default: MAX_SESSION_SECONDS,
    minimum: 1,
    maximum: MAX_SESSION_SECONDS,
    isPublic: false,
    description: 'A session of an app user ends after so long in any case, seconds',
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

/** The lifetimes that are in force: as a rule at hand, and then without a promise. */
export function readLifetimes({
  systemParameters,
}: Pick<FastifyInstance, 'systemParameters'>): SessionLifetimes | Promise<SessionLifetimes> {
  return systemParameters.atHand(sessionParameters) ?? systemParameters.read(sessionParameters);
}
