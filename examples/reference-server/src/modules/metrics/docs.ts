import type { OperationTexts } from '../../http/operation-text.js';

/** What is counted. */
export const metricsOperations: OperationTexts = {
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
};
