import type { OperationTexts } from '../../http/operation-text.js';

/** Metrics. */
export const metricsOperations: OperationTexts = {
  'GET /actuator/metrics': {
    tag: 'Operations',
    summary: 'Read the metrics in the format of Prometheus',
    description: 'Scrapers that can’t sign in read the same at `/metrics` on `SERVICE_METRICS_PORT`.',
    answers: {
      200: {
        description: 'The text format of Prometheus.',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
  },
};
