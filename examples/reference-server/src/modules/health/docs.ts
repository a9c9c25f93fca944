import type { OperationTexts } from '../../http/operation-text.js';

/** Health checks. */
export const healthOperations: OperationTexts = {
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
    description: 'Independent of the stores: a restart would not bring them back.',
    response: { status: 'UP' },
  },
  'GET /actuator/health/readiness': {
    tag: 'Operations',
    summary: 'See whether the process takes requests',
    description: 'For load balancers. DOWN while an essential component is down, and while the server stops.',
    response: { status: 'UP' },
  },
};
