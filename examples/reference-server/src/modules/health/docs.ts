import type { OperationTexts } from '../../http/operation-text.js';

/** Whether the service is well. */
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
