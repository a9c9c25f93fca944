import type { Principal, Session } from '@sallyport/auth-tokens';
import { Type } from 'typebox';
import { ENROLMENT, SECOND_STEP } from '../../protection/factor-duty.js';
import { readLifetimes } from './parameters.js';

export const session = Type.Object(
  {
    id: Type.String(),
    audience: Type.Unsafe<string>({ type: 'string', enum: ['admin', 'app'] }),
    /** The id of the administrator or app user. */
    subject: Type.String(),
    /** Only in a search: the user name, or the masked number. Null if the account was deleted. */
    userName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    /** The step that its sign-in lacks. Absent: none. */
    purpose: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [SECOND_STEP, ENROLMENT] })),
    terminal: Type.Optional(Type.String()),
    clientIp: Type.Optional(Type.String()),
    userAgent: Type.Optional(Type.String()),
    issuedAt: Type.Integer(),
    lastSeenAt: Type.Integer(),
    expiresAt: Type.Integer(),
    /** When it ends if it is not used until then: the idle limit after `lastSeenAt`. May be later than `expiresAt`. */
    idleExpiresAt: Type.Integer(),
    /** Whether it is the session of this request. */
    current: Type.Boolean(),
  },
  { title: 'Session' },
);

/** Shows sessions to this user, with the limits of now. */
export async function shownTo(principal: Principal, app: Parameters<typeof readLifetimes>[0]) {
  const { adminIdleSeconds, appIdleSeconds } = await readLifetimes(app);
  return ({ sessionId, ...rest }: Session) => ({
    ...rest,
    id: sessionId,
    current: sessionId === principal.sessionId,
    idleExpiresAt: rest.lastSeenAt + (rest.audience === 'admin' ? adminIdleSeconds : appIdleSeconds) * 1000,
  });
}
