import type { AsvsClaim } from './claim.js';
import { CODES, FACTORS, REPOSITORY, SERVER } from './places.js';

const NO_PROVIDER = 'The server accepts no identities of others: no OpenID Connect, no SAML, no assertions.';

/** V6.3 to V6.8: sign-in, codes, identity providers. */
export const signInClaims: readonly AsvsClaim[] = [
  {
    id: 'V6.3.1',
    level: 1,
    subject: 'Guessing and credential stuffing meet the documented limits',
    status: 'tested',
    tests: [
      `${SERVER}/modules/login-policy/sign-in-policy.test.ts: LGN-5 exactly five of 100 parallel wrong guesses`,
      `${SERVER}/faults/abuse.system.test.ts: LGN-6 LGN-12 OTC-1 OTC-3 CAP-1 PWD-4 no attacker reaches more`,
    ],
    seenBy: ['sign-in.guesses'],
    note: 'There is no limit over all names together; the threat model says what that gives.',
  },
  {
    id: 'V6.3.2',
    level: 1,
    subject: 'No default account works in production',
    status: 'tested',
    tests: [
      `${SERVER}/preflight/preflight.system.test.ts: OPS-3 USR-4 production is refused with all errors of settings, stores`,
      `${SERVER}/modules/administrators/generated-account.system.test.ts: USR-4 ADM-7 an empty database gets an administrator`,
    ],
  },
  {
    id: 'V6.3.3',
    level: 2,
    subject: 'Sign-in takes several factors',
    status: 'deployer',
    duty:
      'Set admin.auth.second-factor.mode and app.auth.second-factor.mode to REQUIRED: the default is OFF. Then no ' +
      'session does anything before its second step. Passkeys resist phishing, codes of an authenticator app do not.',
    tests: [
      `${SERVER}/modules/second-factors/enrolment.system.test.ts: MFA-2 serves nothing but the enrolment`,
      `${SERVER}/modules/second-factors/enrolment.system.test.ts: MFA-2 needs a code after the grace`,
    ],
  },
  {
    id: 'V6.3.4',
    level: 2,
    subject: 'No way to sign in is weaker than documented',
    status: 'tested',
    tests: [
      `${SERVER}/modules/app-users/app-sign-in.system.test.ts: LGN-9 LP-12 failures of app users lock by the same policy`,
      `${SERVER}/modules/api-docs/api-docs.test.ts: OPS-2 it has every route, and no other`,
    ],
  },
  {
    id: 'V6.4.1',
    level: 1,
    subject: 'Generated first passwords are random, short-lived, and replaced by their user',
    status: 'deployer',
    duty:
      'Switch admin.auth.password.force-first-change on, as the profiles nist and dengbao3 do: then a password that the ' +
      'command generated or an administrator set serves its first use only, its own change. It is off by default: such ' +
      'a password then works until it is changed. Name the profile in SERVICE_POLICY_PROFILE, and preflight compares. ' +
      'The generated one is random, shown once and stored as a hash; it has no end before its first use.',
    preflight: ['parameters.profile'],
    settings: ['policy.profile'],
    tests: [
      `${SERVER}/modules/administrators/generated-account.system.test.ts: USR-4 ADM-7 an empty database gets`,
      `${SERVER}/modules/passwords/password-change-required.system.test.ts: PWD-7: until an administrator has changed a`,
      `${SERVER}/modules/passwords/password-change-required.system.test.ts: PWD-7: a password that a command has made has to`,
      `${SERVER}/modules/passwords/password-history.system.test.ts: PWD-7: the present password is no new one`,
    ],
  },
  {
    id: 'V6.4.2',
    level: 1,
    subject: 'There are no password hints or secret questions',
    status: 'tested',
    tests: [
      `${SERVER}/modules/api-docs/openapi-document.test.ts: API-2 has a named schema for each body and each answer`,
    ],
    note: 'No body of the document, and no column of an account, holds one.',
  },
  {
    id: 'V6.4.3',
    level: 2,
    subject: 'A forgotten password is reset safely',
    status: 'tested',
    tests: [
      `${SERVER}/modules/app-users/app-recovery.system.test.ts: USR-5 a code sets the password, is used up, and ends all`,
      `${SERVER}/modules/app-users/app-recovery.system.test.ts: USR-5 a number without a user and a disabled user get the`,
      `${SERVER}/modules/app-users/app-recovery.system.test.ts: USR-5 needs a captcha, before a code is looked at`,
    ],
    note: 'App users, by a code to their number. Administrators ask another administrator.',
  },
  {
    id: 'V6.4.4',
    level: 2,
    subject: 'A lost factor is replaced after the same proof as at enrolment',
    status: 'tested',
    tests: [
      `${SERVER}/modules/second-factors/resets.system.test.ts: MFA-4 a reset removes all factors, ends all sessions`,
      `${SERVER}/modules/second-factors/enrolment.system.test.ts: MFA-2 needs a code after the grace`,
    ],
    note: 'After a reset the password suffices for the days of grace. Set them to 0, and hand out codes.',
  },
  {
    id: 'V6.5.1',
    level: 2,
    subject: 'A code works once',
    status: 'tested',
    tests: [
      `${CODES}/codes.test.ts: REL-4 OTC-1 exactly one of 50 parallel uses of a right code`,
      `${CODES}/codes.test.ts: OTC-1 APP-5 a send answers a handle of 128 bits`,
    ],
  },
  {
    id: 'V6.5.2',
    level: 2,
    subject: 'Stored recovery secrets of low entropy are hashed slowly, with salt',
    status: 'tested',
    tests: [
      `${FACTORS}/recovery-codes.test.ts: MFA-1: are ten of 120 bits, are kept as hashes`,
      `${SERVER}/modules/second-factors/enrolment.system.test.ts: MFA-2 needs a code after the grace`,
    ],
    note: 'None has low entropy: they have 120 random bits, so that SHA-256 suffices (112 bits are asked for).',
  },
  {
    id: 'V6.5.3',
    level: 2,
    subject: 'Codes come from a secure random generator',
    status: 'tested',
    tests: [`${CODES}/codes.test.ts: OTC-1 APP-5 a send answers a handle of 128 bits`],
    note: 'randomInt and randomBytes of node:crypto; a test can only show that they differ.',
  },
  {
    id: 'V6.5.4',
    level: 2,
    subject: 'A code has six digits or more',
    status: 'tested',
    tests: [`${REPOSITORY}/threat-model.test.ts: DOC-1 the sums of the codes follow from the defaults`],
    note: 'A parameter can shorten codes; preflight says so (parameters.codes-guessable).',
  },
  {
    id: 'V6.5.5',
    level: 2,
    subject: 'A code lives ten minutes at most',
    status: 'deployer',
    duty:
      'Set app.auth.sms.slow-resend-seconds to 600 or less, and keep app.auth.sms.valid-seconds there. A code lives five ' +
      'minutes by default. From the eleventh message of a number in a day on, it lives until the next one may be sent, ' +
      '30 minutes by default, so that messages which a stranger orders do not take the owner his code.',
    tests: [`${CODES}/handles.test.ts: OTC-1 LP-40 a code expires`],
  },
  {
    id: 'V6.6.1',
    level: 2,
    subject: 'Codes by text message have a stronger alternative, and users know their risk',
    status: 'deployer',
    duty:
      'Offer the second factor to app users (app.auth.second-factor.mode), and tell them in your own pages what the ' +
      'telephone network can do. The threat model says it.',
    tests: [`${SERVER}/modules/second-factors/own-factors.system.test.ts: MFA-1 an authenticator app is enrolled`],
  },
  {
    id: 'V6.6.2',
    level: 2,
    subject: 'A code is bound to the request that it was sent for',
    status: 'deployer',
    duty:
      'Switch app.auth.sms.require-handle on, if your clients return the handle: those of the interface document do ' +
      'not, so it is off by default, and a code without one counts for its number and purpose. While it is on, a ' +
      'stranger who asks for a number makes its owner wait for the next message.',
    tests: [
      `${CODES}/handles.test.ts: OTC-1 with requireHandle a code is accepted with the handle of its own send alone`,
      `${SERVER}/modules/app-users/app-recovery.system.test.ts: OTC-1 USR-5 a parameter demands the handle of the send`,
      `${CODES}/handles.test.ts: OTC-1 a handle accepts the code of its own send only`,
      `${CODES}/handles.test.ts: USR-5 OTC-1 a code with a purpose serves this one only`,
    ],
  },
  {
    id: 'V6.6.3',
    level: 2,
    subject: 'Guessing codes is limited',
    status: 'tested',
    tests: [
      `${CODES}/codes.test.ts: OTC-1 of 20 parallel checks of a handle five are compared`,
      `${CODES}/fraud.test.ts: OTC-3 over all recipients no more guesses meet a code of six digits than the limit`,
    ],
  },
  {
    id: 'V6.8.1',
    level: 2,
    subject: 'Identities of several providers cannot be confused',
    status: 'not applicable',
    why: NO_PROVIDER,
  },
  {
    id: 'V6.8.2',
    level: 2,
    subject: 'Signatures of assertions are verified',
    status: 'not applicable',
    why: `${NO_PROVIDER} Its own tokens are items of V9.`,
  },
  {
    id: 'V6.8.3',
    level: 2,
    subject: 'SAML assertions are used once',
    status: 'not applicable',
    why: NO_PROVIDER,
  },
  {
    id: 'V6.8.4',
    level: 2,
    subject: 'Strength and age of a foreign sign-in are verified',
    status: 'not applicable',
    why: NO_PROVIDER,
  },
];
