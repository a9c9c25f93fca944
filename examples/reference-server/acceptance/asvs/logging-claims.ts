import type { AsvsClaim } from './claim.js';
import { AUDIT, SERVER } from './places.js';

/** V16 Security Logging and Error Handling. */
export const loggingClaims: readonly AsvsClaim[] = [
  {
    id: 'V16.1.1',
    level: 2,
    subject: 'An inventory says what is logged where, for how long, and who may read it',
    status: 'deployer',
    duty:
      'Keep it for your proxy, stores and receivers, and decide how long records stay (audit retain). The README of ' +
      'the server has the parts of the server: Audit log, and Behaviour 12.',
    preflight: ['logging.debug', 'logging.quiet', 'folders.no-checkpoints'],
  },
  {
    id: 'V16.2.1',
    level: 2,
    subject: 'A record says when, where, who and what',
    status: 'tested',
    tests: [
      `${SERVER}/modules/audit-records/audit-log.system.test.ts: AU-01 AUD-1 AUD-2 each operation has exactly one record`,
    ],
    seenBy: ['audit.coverage#metadata', 'proxies.address'],
  },
  {
    id: 'V16.2.2',
    level: 2,
    subject: 'Clocks agree, and times have a zone',
    status: 'deployer',
    duty:
      'Synchronise the clocks of nodes and stores (NTP). Times are milliseconds since 1970 in UTC; in CSV, ISO 8601 ' +
      'with a zone. A node whose clock is off leaves readiness.',
    preflight: ['database.clock'],
    tests: [`${SERVER}/modules/health/clock.test.ts: TOK-12 OPS-1 is not ready, says why, records it once`],
  },
  {
    id: 'V16.2.3',
    level: 2,
    subject: 'Logs go to the documented places only',
    status: 'tested',
    tests: [
      `${SERVER}/modules/audit-records/audit-delivery.system.test.ts: AUD-13 without a receiver there is no delivery`,
      `${SERVER}/modules/audit-records/checkpoint-places.test.ts: AUD-12 a checkpoint goes to the file, the witness`,
    ],
  },
  {
    id: 'V16.2.4',
    level: 2,
    subject: 'Logs have a form that other systems read',
    status: 'tested',
    tests: [
      `${AUDIT}/delivery/messages.test.ts: AUD-13 every column is a parameter of the structured data`,
      `${AUDIT}/delivery/ndjson-target.test.ts: AUD-13 a batch is one POST with a line for each record`,
    ],
    note: 'RFC 5424 and NDJSON; the log of the process is JSON lines. A request id joins both.',
  },
  {
    id: 'V16.2.5',
    level: 2,
    subject: 'Secrets are masked or left out of logs',
    status: 'tested',
    tests: [
      `${AUDIT}/canary.test.ts: AUD-3 AU-07 no planted secret appears`,
      `${SERVER}/http/logging.system.test.ts: AT-21 EC-46 no log line contains a token, password, envelope or key`,
    ],
    seenBy: ['audit.coverage#secrets'],
  },
  {
    id: 'V16.3.1',
    level: 2,
    subject: 'Every sign-in is logged, failed ones too',
    status: 'tested',
    tests: [
      `${SERVER}/modules/audit-records/audit-log.system.test.ts: AU-02 AUD-1 failed sign-ins and refused ones are recorded`,
    ],
    seenBy: ['audit.coverage#sign-ins'],
    note: 'Of one address, 60 refusals a minute without a session are recorded, and the rest are counted.',
  },
  {
    id: 'V16.3.2',
    level: 2,
    subject: 'Refused authorizations are logged',
    status: 'tested',
    tests: [
      `${SERVER}/modules/audit-records/audit-log.system.test.ts: AUD-5 TOK-8 search and export each need their permission`,
    ],
    seenBy: ['audit.coverage#refusals'],
  },
  {
    id: 'V16.3.3',
    level: 2,
    subject: 'Documented security events and attempts to get around controls are logged',
    status: 'tested',
    tests: [
      `${SERVER}/modules/audit-records/audit-log.system.test.ts: AU-02 a replayed envelope and a mismatched idempotency key`,
      `${AUDIT}/delivery/delivery-faults.system.test.ts: AUD-13 marks security events`,
    ],
    seenBy: ['audit.coverage#operations'],
    note: 'Rate limits and unknown paths are metrics, not records.',
  },
  {
    id: 'V16.3.4',
    level: 2,
    subject: 'Unexpected errors are logged',
    status: 'tested',
    tests: [
      `${SERVER}/http/http.test.ts: HTTP-2 SV-08 a 500 contains no stack, SQL, path or version, and its request id`,
      `${SERVER}/http/logging.system.test.ts: AU-16 SV-08 a failing statement is logged with frames and cause`,
    ],
  },
  {
    id: 'V16.4.1',
    level: 2,
    subject: 'No text of a client forges a line of a log',
    status: 'tested',
    tests: [
      `${AUDIT}/records/record.test.ts: AUD-7 AU-03 no text of a client ends a line`,
      `${SERVER}/http/logging.system.test.ts: AU-03 control characters from clients cannot forge a line`,
    ],
    seenBy: ['audit.forgery#text'],
  },
  {
    id: 'V16.4.2',
    level: 2,
    subject: 'Logs are read by few and changed by nobody',
    status: 'tested',
    tests: [
      `${SERVER}/modules/audit-records/audit-log.system.test.ts: AU-14 no method changes or deletes a record`,
      `${AUDIT}/reading/verify.system.test.ts: AUD-6 finds every random change to the tables`,
    ],
    seenBy: ['audit.forgery#deletion'],
    note: 'Who may write to the database can change rows; the chain and the checkpoints show it, and prevent nothing.',
  },
  {
    id: 'V16.4.3',
    level: 2,
    subject: 'Logs leave for another system',
    status: 'deployer',
    duty: 'Set a receiver and its certificates. Without one, records stay in the database and only checkpoints leave.',
    settings: ['audit.syslog.url', 'audit.ndjson.url', 'audit.delivery.ca-file'],
    preflight: ['deliveries.files', 'checkpoints.log-only'],
    tests: [
      `${AUDIT}/delivery/delivery-faults.system.test.ts: AUD-13 every record arrives once, in the order of the chain`,
    ],
  },
  {
    id: 'V16.5.1',
    level: 2,
    subject: 'Errors tell clients nothing of what is inside',
    status: 'tested',
    tests: [
      `${SERVER}/http/http.test.ts: HTTP-2 SV-08 a 500 contains no stack, SQL, path or version`,
      `${SERVER}/http/http.test.ts: SV-08 a thrown value that is not an error is 500`,
    ],
    seenBy: ['exposure.errors'],
  },
  {
    id: 'V16.5.2',
    level: 2,
    subject: 'The service stays safe while a store or receiver is away',
    status: 'tested',
    tests: [
      `${SERVER}/faults/fault-suite.system.test.ts: REL-2 while Redis is down, silent or cut off nothing is let`,
      `${SERVER}/modules/audit-records/audit-delivery.system.test.ts: AUD-13 OPS-1 OPS-8 health and metrics show a receiver`,
    ],
  },
  {
    id: 'V16.5.3',
    level: 2,
    subject: 'What cannot be checked is refused',
    status: 'tested',
    tests: [
      `packages/auth-tokens/test/sessions/store-failures.test.ts: TOK-11 AT-11 with an unreachable store`,
      `${SERVER}/protection/idempotency.test.ts: IDM-9 ID-21 while the records are unavailable nothing runs`,
      `${AUDIT}/changes.system.test.ts: AUD-8 rolls the change back if its record can not be written`,
    ],
  },
];
