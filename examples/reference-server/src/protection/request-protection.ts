import cors from '@fastify/cors';
import { auditLog } from '@sallyport/audit-log';
import { authTokens } from '@sallyport/auth-tokens';
import { clientIp } from '@sallyport/client-ip';
import { envelopeCrypto } from '@sallyport/envelope-crypto';
import { idempotency } from '@sallyport/idempotency';
import { replayGuard } from '@sallyport/replay-guard';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { contentEncoding } from './content-encoding.js';
import { floodGate } from './flood-gate.js';
import { headerLimit } from './header-limit.js';
import { hostHeader } from './host-header.js';
import { queryOpenings } from './query-openings.js';
import { rateLimits } from './rate-limits.js';
import type { RequestProtectionOptions } from './request-protection-options.js';
import { responseHeaders } from './response-headers.js';
import { safeMode } from './safe-mode.js';
import { type SessionDutiesOptions, sessionDuties } from './session-duties.js';

/**
 * The mandated processing order, top to bottom (ORD-1, ORD-3). Fastify runs the stages of a request in the order
 * onRequest, preParsing, preValidation, preHandler, onSend, and within a stage in the order of registration; hooks of a
 * route come after those of the instance.
 *
 * | stage         | what runs                                                                        |
 * |---------------|----------------------------------------------------------------------------------|
 * | onRequest     | request id, client IP, flood gate, start of the audit record, token               |
 * |               | authentication, path authorization, duty to prove a factor, duty to change the    |
 * |               | password, query-parameter decryption, rate limit (of the route)                   |
 * | preParsing    | rate limit (of unknown paths), safe mode if it is on, encryption policy,           |
 * |               | content encoding                                                                 |
 * | preValidation | JSON body decryption, replay guard, delivery of the plaintext (of the route)      |
 * | preHandler    | after the schema check: check that the audit sink is available, token              |
 * |               | authentication again, check that every plaintext was delivered, idempotency, begin |
 * |               | of the audit record (of the route)                                                |
 * | onSend        | commit of the audit record, JSON response encryption, the outcome of an           |
 * |               | idempotent run                                                                    |
 *
 * `test/protection/processing-order.test.ts` records the actual order. The plugins fail the start if the registration
 * order violates it (ORD-4).
 */
async function requestProtectionPlugin(
  app: FastifyInstance,
  options: RequestProtectionOptions & { readonly sessionDuties: SessionDutiesOptions },
): Promise<void> {
  // Request id context; common response headers.
  await app.register(responseHeaders, options.responseHeaders);

  // Before any expensive work.
  await app.register(clientIp, options.clientIp);
  await app.register(floodGate, options.floodGate);
  await app.register(headerLimit);
  await app.register(hostHeader);

  // Audit: from here on every refusal is recorded. On the way back each record is committed before the reply is sealed
  // and sent.
  await app.register(auditLog, options.auditLog);

  // Preflights end here: they carry neither token nor envelope.
  if (options.cors !== null) await app.register(cors, options.cors);

  // Token authentication, path authorization.
  await app.register(authTokens, options.authTokens);

  // Authorization, too: of a session that lacks a factor or a fresh proof, and of one whose password has to be changed.
  await app.register(sessionDuties, options.sessionDuties);

  // Rate limits. The hook is added to every route, so it runs after the query decryption that is registered below.
  await app.register(rateLimits, options.rateLimits);

  // Safe mode: authorization and rate limit have already refused their requests.
  if (options.safeMode) await app.register(safeMode);

  // Query-parameter decryption, encryption policy, JSON body decryption, JSON response encryption.
  await app.register(queryOpenings, options.floodGate);
  await app.register(envelopeCrypto, { ...options.envelopeCrypto, scheduleQueryOpening: app.queryOpenings.open });

  // A plaintext body is read as it arrives.
  await app.register(contentEncoding);

  // Between the decryption of an envelope and the delivery of its plaintext.
  await app.register(replayGuard, options.replayGuard);

  // Works on the plaintext that passed the schema check, directly before the handler.
  await app.register(idempotency, options.idempotency);
}

export const requestProtection = fp(requestProtectionPlugin, { fastify: '5.x', name: 'request-protection' });
