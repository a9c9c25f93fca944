import type { AsvsClaim } from './claim.js';
import { CONSOLE, REPOSITORY, SERVER, TOKENS } from './places.js';

const NO_FEDERATION = 'The server is no part of a federation: it neither trusts nor serves another identity system.';

/** V7 Session Management. */
export const sessionClaims: readonly AsvsClaim[] = [
  {
    id: 'V7.1.1',
    level: 2,
    subject: 'Idle time and lifetime of sessions are documented',
    status: 'tested',
    tests: [`${REPOSITORY}/threat-model.test.ts: DOC-1 the lifetimes are those of the sessions`],
    note: 'App users have 7 and 30 days by default. Whether that suits your risk is yours to decide.',
  },
  {
    id: 'V7.1.2',
    level: 2,
    subject: 'The number of parallel sessions of an account, and what happens beyond it, are documented',
    status: 'tested',
    tests: [`${TOKENS}/sessions/sessions.test.ts: TOK-7 a sign-in above the maximum ends the session`],
    note: 'Twenty; the one that was seen least recently ends (reference of auth-tokens, maxSessionsPerSubject).',
  },
  {
    id: 'V7.1.3',
    level: 2,
    subject: 'Federated sessions are documented',
    status: 'not applicable',
    why: NO_FEDERATION,
  },
  {
    id: 'V7.2.1',
    level: 1,
    subject: 'Tokens of sessions are verified by the server',
    status: 'tested',
    tests: [
      `${TOKENS}/sessions/sessions.test.ts: TOK-2 a request reads the store once`,
      `${TOKENS}/tokens/tokens.test.ts: TOK-2 refuses a valid signature with another issuer`,
    ],
    seenBy: ['privileges.tokens#signature'],
  },
  {
    id: 'V7.2.2',
    level: 1,
    subject: 'Sessions have tokens that were made for them, no static keys',
    status: 'tested',
    tests: [`${TOKENS}/tokens/tokens.test.ts: AT-20 a thousand sign-ins have a thousand session ids`],
  },
  {
    id: 'V7.2.3',
    level: 1,
    subject: 'References to sessions are unique and random, of 128 bits or more',
    status: 'tested',
    tests: [`${TOKENS}/tokens/tokens.test.ts: AT-20 a thousand sign-ins have a thousand session ids`],
  },
  {
    id: 'V7.2.4',
    level: 1,
    subject: 'A sign-in makes a new token and ends the session before it',
    status: 'deviation',
    why:
      'A sign-in takes no token, so it knows of no session before it. The session before it goes on until it is ' +
      'ended, expires, or is the one of more than twenty that was seen least recently.',
    instead:
      'Each sign-in makes a new token and a new session, and nothing of a client becomes its id, so a session cannot ' +
      'be fixed.',
    tests: [`${TOKENS}/tokens/tokens.test.ts: AT-20 a thousand sign-ins have a thousand session ids`],
  },
  {
    id: 'V7.3.1',
    level: 2,
    subject: 'A session without use ends',
    status: 'tested',
    tests: [`${TOKENS}/sessions/sessions.test.ts: TOK-5 an idle session expires for good`],
    note: 'Parameters set the times; preflight warns of long ones (parameters.sessions-long).',
  },
  {
    id: 'V7.3.2',
    level: 2,
    subject: 'A session has an end, however much it is used',
    status: 'tested',
    tests: [`${TOKENS}/sessions/sessions.test.ts: TOK-5 the absolute lifetime ends a busy session`],
  },
  {
    id: 'V7.4.1',
    level: 1,
    subject: 'An ended session is refused from then on',
    status: 'tested',
    tests: [
      `${TOKENS}/sessions/sessions.test.ts: TOK-3 AT-07 logout ends the session at once on both nodes`,
      `${SERVER}/modules/sign-in/sign-in.test.ts: ADM-5 TOK-3 AT-26 logout ends the session at once`,
    ],
    seenBy: ['tokens.ends#sign-out'],
  },
  {
    id: 'V7.4.2',
    level: 1,
    subject: 'Disabling or deleting an account ends its sessions',
    status: 'tested',
    tests: [
      `${TOKENS}/sessions/sessions.test.ts: TOK-6 TOK-7 all sessions of a subject end at once`,
      `${SERVER}/modules/app-users/app-users.system.test.ts: TOK-6 LP-17 a disabled user has no sessions`,
    ],
    seenBy: ['tokens.ends#closure'],
  },
  {
    id: 'V7.4.3',
    level: 2,
    subject: 'A new password can end all other sessions',
    status: 'tested',
    tests: [
      `${SERVER}/modules/sessions/invalidation.test.ts: USR-2 after a change or a reset only the new password signs in`,
      `${SERVER}/modules/app-users/app-sessions.system.test.ts: TOK-6 APP-2 setting a first password needs a fresh code`,
    ],
    seenBy: ['tokens.ends#password'],
    note: 'It always does.',
  },
  {
    id: 'V7.4.4',
    level: 2,
    subject: 'Every page behind the sign-in has a way out',
    status: 'tested',
    tests: [`${CONSOLE}/places/sign-in.ts: CON-2 a session is kept over a reload, and ended by signing out`],
    note: 'The frame around every page of the console has it. Your own pages need one.',
  },
  {
    id: 'V7.4.5',
    level: 2,
    subject: 'Administrators can end the sessions of a user',
    status: 'tested',
    tests: [
      `${SERVER}/modules/sessions/sessions.test.ts: TOK-7 listing and ending the sessions of others`,
      `${SERVER}/modules/app-users/app-sessions.system.test.ts: TOK-7 an administrator ends one session of a user`,
    ],
    seenBy: ['tokens.ends#revocation'],
  },
  {
    id: 'V7.5.1',
    level: 2,
    subject: 'What authenticates an account is changed only after a new authentication',
    status: 'tested',
    tests: [
      `${SERVER}/modules/sessions/invalidation.test.ts: USR-2 with a wrong old password nothing changes`,
      `${SERVER}/modules/app-users/app-sessions.system.test.ts: TOK-6 APP-2 setting a first password needs a fresh code`,
    ],
    seenBy: ['passwords.change#current'],
    note: 'Users cannot change the name or number that they sign in with.',
  },
  {
    id: 'V7.5.2',
    level: 2,
    subject: 'Users see their sessions, and end them after a new authentication',
    status: 'deployer',
    duty:
      'Switch admin.auth.second-factor.step-up-for-sessions and app.auth.second-factor.step-up-for-sessions on: they ' +
      'are off by default, since the interface document asks for no password to end a session. Then ending another ' +
      'session of the own account, or all, needs a factor, or the password without one, of the last minutes; an app ' +
      'user who has neither signs in again. Administrators and app users list their sessions, and end each or all.',
    tests: [
      `${SERVER}/modules/second-step/session-step-up.system.test.ts: MFA-3: a parameter demands a proof of administrators`,
      `${SERVER}/modules/second-step/session-step-up.system.test.ts: MFA-3 TOK-7: app users list their sessions, and end`,
      `${SERVER}/modules/sessions/sessions.test.ts: TOK-7 HTTP-1 administrators list their own sessions`,
    ],
  },
  {
    id: 'V7.6.1',
    level: 2,
    subject: 'Sessions of an identity provider end as documented',
    status: 'not applicable',
    why: NO_FEDERATION,
  },
  {
    id: 'V7.6.2',
    level: 2,
    subject: 'A session begins only by an act of the user',
    status: 'tested',
    tests: [
      `${SERVER}/modules/sign-in/sign-in.test.ts: ADM-2 HTTP-1 USR-4 the development account signs in`,
      `${SERVER}/modules/app-users/app-sign-in.system.test.ts: LP-42 APP-3 for an unregistered number only a correct code`,
    ],
    note: 'Each session begins with a password or a code that is sent with the request; there is no silent sign-in.',
  },
];
