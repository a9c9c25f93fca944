import type { AsvsClaim } from './claim.js';
import { SERVER, TOKENS } from './places.js';

/** V9 Self-contained Tokens. The access token is a JWT, whose session is read from the store as well. */
export const tokenClaims: readonly AsvsClaim[] = [
  {
    id: 'V9.1.1',
    level: 1,
    subject: 'The signature of a token is verified before its content is believed',
    status: 'tested',
    tests: [
      `${TOKENS}/tokens/tokens.test.ts: AT-01 refuses alg none in every spelling, an empty signature`,
      `${TOKENS}/tokens/tokens.test.ts: TOK-2 refuses a second text of the same signature`,
    ],
    seenBy: ['privileges.tokens#signature', 'privileges.tokens#claims'],
  },
  {
    id: 'V9.1.2',
    level: 1,
    subject: 'Only listed algorithms sign tokens',
    status: 'tested',
    tests: [`${TOKENS}/tokens/tokens.test.ts: AT-02 refuses a switched algorithm`],
    seenBy: ['privileges.tokens#algorithm'],
  },
  {
    id: 'V9.1.3',
    level: 1,
    subject: 'Keys that verify tokens are configured, and never taken from a token',
    status: 'tested',
    tests: [`${TOKENS}/tokens/tokens.test.ts: AT-04 refuses critical extensions, reads no key from a header`],
  },
  {
    id: 'V9.2.1',
    level: 1,
    subject: 'A token is accepted within its time only',
    status: 'tested',
    tests: [`${TOKENS}/tokens/tokens.test.ts: AT-06 refuses a token that has expired`],
  },
  {
    id: 'V9.2.2',
    level: 2,
    subject: 'A token of another kind or purpose is refused',
    status: 'tested',
    tests: [`${TOKENS}/tokens/tokens.test.ts: TOK-2 refuses a valid signature with another issuer, audience, type`],
  },
  {
    id: 'V9.2.3',
    level: 2,
    subject: 'A token for another audience is refused',
    status: 'tested',
    tests: [`${SERVER}/modules/sessions/sessions.test.ts: AT-17 a token of another audience or issuer is refused`],
    seenBy: ['privileges.tokens#audience'],
  },
  {
    id: 'V9.2.4',
    level: 2,
    subject: 'Tokens that one key signs for several audiences say for which',
    status: 'tested',
    tests: [
      `${TOKENS}/tokens/tokens.test.ts: TOK-2 has the pinned algorithm, type, key id, issuer, audience`,
      `${TOKENS}/routes.test.ts: TOK-1 AT-17 denies by default`,
    ],
    seenBy: ['privileges.tokens#audience'],
  },
];
