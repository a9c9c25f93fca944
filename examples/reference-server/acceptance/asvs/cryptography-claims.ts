import type { AsvsClaim } from './claim.js';
import { AUDIT, CODES, ENVELOPES, HASHING, SERVER, TOKENS } from './places.js';

const NATIONAL =
  'The envelope uses the national algorithms of China: SM2 to wrap keys, SM4-GCM, SM3. They are standards (GB/T ' +
  '32918, GB/T 32907, GB/T 32905; RFC 8998), but not in the appendix of ASVS.';

/** V11 Cryptography. */
export const cryptographyClaims: readonly AsvsClaim[] = [
  {
    id: 'V11.1.1',
    level: 2,
    subject: 'A policy says how keys are made, shared, replaced and destroyed',
    status: 'deployer',
    duty:
      'Write it. The references say how each key is made and replaced; who holds it and how long is yours. One key ' +
      'for two purposes, weak keys and earlier keys that still count are found.',
    preflight: ['keys.weak', 'keys.guessable', 'shared-keys', 'earlier-keys.kept'],
    tests: [`${SERVER}/preflight/preflight.system.test.ts: OPS-3 catches $what: $id`],
  },
  {
    id: 'V11.1.2',
    level: 2,
    subject: 'An inventory names every key, algorithm and certificate',
    status: 'deployer',
    duty: 'Keep it. The keys of the server are these settings; the certificates are those of your proxy and stores.',
    settings: [
      'auth.token.key',
      'auth.token.previous-keys',
      'api.encryption.private-key',
      'api.encryption.previous-keys',
      'auth.second-factor.key',
      'auth.second-factor.previous-keys',
      'audit.chain-key',
      'audit.previous-chain-keys',
      'audit.checkpoint-key',
      'notification.gateway.signature-key',
    ],
  },
  {
    id: 'V11.2.1',
    level: 2,
    subject: 'Cryptography comes from validated implementations',
    status: 'deviation',
    why:
      'SM2, SM3 and SM4-GCM of the envelope are implementations of this project, in TypeScript and in WebAssembly, ' +
      'since browsers have none. Passwords are hashed by bcryptjs. Nobody outside of the projects has validated either.',
    instead:
      'Known answers at each start, the vectors of the standards and of Wycheproof, and comparison with OpenSSL. ' +
      'Tokens, macs and random numbers are those of node:crypto.',
    tests: [
      `${ENVELOPES}/gm/gcm.test.ts: EC-54 holds for all 104 vectors of Wycheproof`,
      `${ENVELOPES}/gm/sm2-oracles.test.ts: ENV-8 decrypts ciphertexts of openssl pkeyutl`,
      `${ENVELOPES}/suites/self-test.test.ts: ENV-6 finds every operation of a suite that is wrong by one bit`,
    ],
  },
  {
    id: 'V11.2.2',
    level: 2,
    subject: 'Algorithms and keys can be exchanged',
    status: 'deviation',
    why: 'The envelope has one suite, and passwords have one hash (BCrypt). Another one of either needs a release.',
    instead:
      'Keys are replaced while the service runs, the cost of password hashes rises at sign-in, tokens have three ' +
      'algorithms to choose from, and messages name suite and version.',
    tests: [
      `${SERVER}/protection/envelope.test.ts: ENV-1 after a rotation envelopes for the earlier key are accepted`,
      `${TOKENS}/tokens/tokens.test.ts: TOK-4 tokens of earlier keys stay valid during a rotation`,
      `${HASHING}/password-hashing.test.ts: PWD-3 a hash is replaced when the cost has risen`,
    ],
  },
  {
    id: 'V11.2.3',
    level: 2,
    subject: 'Keys and algorithms have 128 bits of security',
    status: 'tested',
    tests: [
      `${TOKENS}/setup.test.ts: AT-25 TOK-4 refuses a missing, short, repeated, sample or guessable secret`,
      `${ENVELOPES}/keys/private-key.test.ts: EC-43 is refused with 63 or 65 characters`,
      `${CODES}/setup.test.ts: ADP-1 a key must be long`,
    ],
    note: 'Ed25519, P-256, the curve of SM2 and SM4 have 128 bits; keys of macs 256.',
  },
  {
    id: 'V11.3.1',
    level: 1,
    subject: 'No ECB, no weak padding',
    status: 'tested',
    tests: [`${ENVELOPES}/gm/gcm.test.ts: EC-54 seals and opens the example printed in RFC 8998`],
    note:
      'SM4-GCM in envelopes, and AES-256-GCM for queued messages and for the secrets of authenticator apps, are all ' +
      'that encrypts here.',
  },
  {
    id: 'V11.3.2',
    level: 1,
    subject: 'Only approved ciphers and modes are used',
    status: 'deviation',
    why: NATIONAL,
    instead:
      'The envelope stands on top of TLS and replaces nothing of it. SERVICE_API_ENCRYPTION_MODE=OFF leaves it out.',
    tests: [`${ENVELOPES}/gm/gcm.test.ts: EC-54 seals and opens the example printed in RFC 8998`],
  },
  {
    id: 'V11.3.3',
    level: 2,
    subject: 'What is encrypted cannot be changed unnoticed',
    status: 'tested',
    tests: [
      `${ENVELOPES}/gm/gcm.test.ts: EC-18 opens nothing of any length with one flipped bit`,
      `${ENVELOPES}/server/hostile-envelopes.test.ts: EC-18 is refused with a flipped bit of ciphertext or tag`,
    ],
    seenBy: ['envelopes.moved'],
  },
  {
    id: 'V11.4.1',
    level: 1,
    subject: 'Only approved hash functions are used',
    status: 'deviation',
    why: `${NATIONAL} Clients hash passwords with SM3 as well, and the chain of the audit log may use it.`,
    instead:
      'Everything else hashes with SHA-256 or SHA-512, except for the codes of authenticator apps: HMAC-SHA-1 is all ' +
      'that most of these apps compute. MD5 is not used.',
    tests: [`${ENVELOPES}/gm/sm3.test.ts: EC-54 gives the digests printed in GB/T 32905-2016`],
  },
  {
    id: 'V11.4.2',
    level: 2,
    subject: 'Passwords are stored under a slow hash with current parameters',
    status: 'tested',
    tests: [
      `${HASHING}/password-hashing.test.ts: ADM-7 hashes are salted BCrypt of the configured cost and verify`,
      `${SERVER}/config/config.test.ts: TOK-4 AUD-6 AUD-9 AUD-12 ADM-7 TOK-9 production refuses a missing key, a low`,
    ],
    note: 'BCrypt of cost 12 or more, of the SM3 that clients send.',
  },
  {
    id: 'V11.4.3',
    level: 2,
    subject: 'Hashes in signatures and for integrity have 256 bits',
    status: 'tested',
    tests: [
      `${AUDIT}/chain/chain.test.ts: AUD-6 the mac of a row is the documented HMAC`,
      `${AUDIT}/notes/notes.test.ts: AUD-12 has the roots of RFC 6962`,
    ],
  },
  {
    id: 'V11.4.4',
    level: 2,
    subject: 'Keys from passwords are stretched',
    status: 'not applicable',
    why: 'No key is derived from a password.',
  },
  {
    id: 'V11.5.1',
    level: 2,
    subject: 'What nobody may guess is random and has 128 bits',
    status: 'tested',
    tests: [
      `${TOKENS}/tokens/tokens.test.ts: AT-20 a thousand sign-ins have a thousand session ids of at least 128 random`,
      `${CODES}/codes.test.ts: OTC-1 APP-5 a send answers a handle of 128 bits`,
    ],
    note:
      'Recovery and enrolment codes have 120 bits (V6.5.2). Codes by text message and the texts of captchas are short ' +
      'by purpose, and have limits of their own (V6.5.4, V6.6.3).',
  },
  {
    id: 'V11.6.1',
    level: 2,
    subject: 'Keys and signatures are made by approved algorithms',
    status: 'deviation',
    why: NATIONAL,
    instead:
      'Tokens are signed with EdDSA, ES256 or an HMAC, of node:crypto. Passkeys sign with ES256, EdDSA or RS256, which ' +
      'a library verifies. Keys of SM2 that no random generator makes are refused.',
    tests: [
      `${ENVELOPES}/keys/private-key.test.ts: ENV-10 is refused within 2^192 of 0 and of n`,
      `${ENVELOPES}/gm/sm2.test.ts: EC-54 encrypts and decrypts the example printed in GB/T 32918.5-2017`,
    ],
  },
];
