import { INSTANT, LATER, THING_ID } from '../../../http/example-values.js';
import type { OperationTexts } from '../../../http/operation-text.js';

const page = { number: 1, size: 20, total: 1 };

/** The service itself: encryption, notifications, health. */
export const serviceOperations: OperationTexts = {
  'GET /encryption/public-key': {
    tag: 'Encryption',
    summary: 'Get the public key and the protocol’s particulars',
    description: 'A client reads it before it seals its first request, and again after 400 `ENVELOPE_KEY_UNKNOWN`.',
    answers: {
      200: {
        description: 'Key, mode, limits, and the clock of the service.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/EncryptionBootstrap' } } },
      },
    },
    response: {
      data: {
        mode: 'REQUIRED',
        suite: 'sm2-sm4-gcm-v1',
        version: 1,
        keyId: '2026-09',
        publicKey: `04${'5a'.repeat(64)}`,
        timestampWindowSeconds: 300,
        maxPayloadBytes: 65_536,
        maxQueryBytes: 4096,
        serverTime: INSTANT,
      },
    },
  },
  'GET /admin/notifications': {
    tag: 'Notifications',
    summary: 'List notifications',
    description:
      'Of the last day: `queued`, `sending`, `retrying`, `sent`, `superseded`, `expired`, `unconfirmed`, `refused` or `failed`.',
    refusals: ['NOTIFICATION_QUEUE_UNAVAILABLE'],
    response: {
      data: [
        {
          id: THING_ID,
          kind: 'sms-code',
          recipient: '+86138****5678',
          state: 'sent',
          attempts: 1,
          queuedAt: INSTANT,
          expiresAt: LATER,
          finishedAt: INSTANT,
        },
      ],
      page,
    },
  },
  'GET /dev/sms-outbox': {
    tag: 'Notifications',
    summary: 'See what development ‘sent’',
    description: 'In development only.',
    refusals: ['MOBILE_INVALID', 'STORE_UNAVAILABLE'],
    response: {
      data: [{ id: THING_ID, mobile: '+8613812345678', text: 'Your code: 482913', code: '482913', sentAt: INSTANT }],
      page,
    },
  },
  'GET /dev/sms-outbox/page': {
    tag: 'Notifications',
    summary: 'The same as a page for people',
    description: 'In development only.',
    refusals: ['STORE_UNAVAILABLE'],
    answers: {
      200: { description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } },
    },
  },
  'GET /actuator/metrics': {
    tag: 'Operations',
    summary: 'Read the metrics, as Prometheus does',
    description: 'A scraper that can’t sign in reads the same at `/metrics` of `SERVICE_METRICS_PORT`.',
    answers: {
      200: {
        description: 'The text format of Prometheus.',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
  },
  'GET /actuator/health': {
    tag: 'Operations',
    summary: 'See whether the service is well',
    description: 'Holders of `api:admin:health:read` see each component.',
    tokenIsOptional: true,
    response: { status: 'UP', components: { database: { status: 'UP', details: { kind: 'PostgreSQL' } } } },
  },
  'GET /actuator/health/liveness': {
    tag: 'Operations',
    summary: 'See whether the process is alive',
    description: 'Whatever store is away: a restart would not bring it back.',
    response: { status: 'UP' },
  },
  'GET /actuator/health/readiness': {
    tag: 'Operations',
    summary: 'See whether the process takes requests',
    description: 'For the proxy that chooses a node. DOWN with an essential component, and while the server stops.',
    response: { status: 'UP' },
  },
};
