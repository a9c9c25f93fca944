import type { OperationTexts } from '../../http/operation-text.js';

/** Health checks. */
export const healthOperations: OperationTexts = {
  'GET /actuator/health': {
    tag: 'Operations',
    summary: 'Check the health of the service',
    description: 'Holders of `api:admin:health:read` see each component.',
    tokenIsOptional: true,
    response: { status: 'UP', components: { database: { status: 'UP', details: { kind: 'PostgreSQL' } } } },
  },
  'GET /actuator/health/liveness': {
    tag: 'Operations',
    summary: 'Check that the process is alive',
    description: 'Independent of the stores: a restart would not bring them back.',
    response: { status: 'UP' },
  },
  'GET /actuator/health/readiness': {
    tag: 'Operations',
    summary: 'Check that the process accepts requests',
    description: 'For load balancers. DOWN while an essential component is down, and while the server stops.',
    response: { status: 'UP' },
  },
};
