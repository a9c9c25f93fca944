import type { AsvsClaim } from './claim.js';
import { ENVELOPES, HASHING, LOGIN, REPOSITORY, SERVER, UPLOADS } from './places.js';

/** V2 Validation and Business Logic, and the items of V15 that are about hostile input. */
export const inputClaims: readonly AsvsClaim[] = [
  {
    id: 'V2.1.1',
    level: 1,
    subject: 'The form of every input is documented',
    status: 'tested',
    tests: [
      `${SERVER}/modules/api-docs/api-docs.test.ts: OPS-2 it has every route, and no other`,
      `${SERVER}/modules/api-docs/openapi-document.test.ts: API-2 has a named schema for each body and each answer`,
    ],
  },
  {
    id: 'V2.1.2',
    level: 2,
    subject: 'Rules between inputs are documented',
    status: 'tested',
    tests: [
      `${LOGIN}/password-rules.test.ts: PWD-1 the minimum length must not exceed the maximum`,
      `${UPLOADS}/parameters.test.ts: UPL-1 UP-17 names every fault of every value`,
    ],
    note: 'Few inputs depend on others; each refusal names the rule.',
  },
  {
    id: 'V2.1.3',
    level: 2,
    subject: 'Limits of the business logic are documented, for a user and overall',
    status: 'tested',
    tests: [
      `${REPOSITORY}/threat-model.test.ts: DOC-1 the sums of the sign-in follow from the defaults`,
      `${REPOSITORY}/threat-model.test.ts: DOC-1 the sums of the codes follow from the defaults`,
    ],
  },
  {
    id: 'V2.2.1',
    level: 1,
    subject: 'Input is accepted by what is allowed, not by what is forbidden',
    status: 'tested',
    tests: [
      `${SERVER}/http/http.test.ts: HTTP-4 every body schema refuses unknown properties`,
      `${SERVER}/http/http.test.ts: HTTP-4 types in a body are not coerced`,
    ],
  },
  {
    id: 'V2.2.2',
    level: 1,
    subject: 'The server validates, whatever a page has validated before',
    status: 'tested',
    tests: [
      `${SERVER}/http/http.test.ts: HTTP-4 an unexpected property is refused with its pointer`,
      `${SERVER}/protection/processing-order.test.ts: ORD-1 EC-35 the schema check comes after decryption`,
    ],
    seenBy: ['uploads.forms'],
    note: 'The length of a password is the exception (V6.2.1).',
  },
  {
    id: 'V2.2.3',
    level: 2,
    subject: 'Inputs that belong together are validated together',
    status: 'tested',
    tests: [`${LOGIN}/password-rules.test.ts: PWD-1 the minimum length must not exceed the maximum`],
  },
  {
    id: 'V2.3.1',
    level: 1,
    subject: 'Steps of a flow cannot be skipped',
    status: 'tested',
    tests: [
      `${SERVER}/protection/processing-order.test.ts: ORD-1 ORD-3 a plain request passes the stages`,
      `${SERVER}/modules/captcha/captcha.system.test.ts: CAP-1 $url takes a captcha for $purpose once`,
    ],
  },
  {
    id: 'V2.3.2',
    level: 2,
    subject: 'The documented limits are enforced',
    status: 'tested',
    tests: [
      `${SERVER}/faults/abuse.system.test.ts: LGN-6 LGN-12 OTC-1 OTC-3 CAP-1 PWD-4 no attacker reaches more`,
      `${SERVER}/modules/files/uploaded-texts.system.test.ts: UPL-10 are bounded for each administrator`,
    ],
  },
  {
    id: 'V2.3.3',
    level: 2,
    subject: 'An operation happens whole or not at all',
    status: 'tested',
    tests: [
      `${SERVER}/protection/idempotency.test.ts: IDM-7 row and record commit together`,
      `packages/audit-log/test/changes.system.test.ts: AUD-8 commits the change, its record and the completion together`,
    ],
  },
  {
    id: 'V2.3.4',
    level: 2,
    subject: 'What exists once is taken once, however many ask at a time',
    status: 'tested',
    tests: [
      `${SERVER}/protection/idempotent-nodes.system.test.ts: REL-4 IDM-3 IDM-7 ID-02 ID-03 exactly one of 50 parallel copies`,
      `${SERVER}/modules/files/served-files.system.test.ts: UPL-9 TOK-10 a ticket downloads its file once`,
    ],
    seenBy: ['idempotency.writes', 'idempotency.uploads', 'tokens.tickets'],
  },
  {
    id: 'V2.4.1',
    level: 2,
    subject: 'Robots meet limits',
    status: 'tested',
    tests: [
      `${SERVER}/protection/client-ip.test.ts: ADM-4 one address gets 20 sign-ins a minute`,
      `${SERVER}/protection/client-ip.test.ts: LP-04 IP-2 without trusted proxies a new X-Forwarded-For for every`,
    ],
    seenBy: ['proxies.limits'],
  },
  {
    id: 'V15.1.3',
    level: 2,
    subject: 'What costs much is documented, with what happens beyond it',
    status: 'tested',
    tests: [`${REPOSITORY}/threat-model.test.ts: DOC-1 the addresses that fill the password workers follow`],
  },
  {
    id: 'V15.2.2',
    level: 2,
    subject: 'Expensive work is bounded',
    status: 'tested',
    tests: [
      `${HASHING}/password-hashing.test.ts: PWD-3 one client cannot occupy all workers`,
      `${SERVER}/protection/processing-order.test.ts: ORD-3 a flood ends at the gate`,
      `${UPLOADS}/uploads-under-way.system.test.ts: UPL-10 one more than an uploader may have`,
    ],
  },
  {
    id: 'V15.3.3',
    level: 2,
    subject: 'A request sets only the members that it may',
    status: 'tested',
    tests: [
      `${SERVER}/http/http.test.ts: HTTP-4 an unexpected property is refused with its pointer`,
      `${SERVER}/modules/sign-in/registration.system.test.ts: USR-3 ADM-7 LP-47 HTTP-4 the password is opaque`,
    ],
    seenBy: ['uploads.forms'],
  },
  {
    id: 'V15.3.4',
    level: 2,
    subject: 'The address of a client comes from trusted proxies alone',
    status: 'tested',
    tests: [
      `${SERVER}/protection/client-ip.test.ts: LP-06 IP-1 behind a trusted proxy the client is the right-most address`,
      `${SERVER}/deploy/nginx-requests.test.ts: IP-2 every header about the origin of a request is overwritten`,
    ],
    seenBy: ['proxies.address', 'proxies.limits'],
  },
  {
    id: 'V15.3.6',
    level: 2,
    subject: 'No input pollutes a prototype',
    status: 'tested',
    tests: [`${ENVELOPES}/server/hostile-envelopes.test.ts: EC-33 can’t carry a polluted prototype`],
  },
];
