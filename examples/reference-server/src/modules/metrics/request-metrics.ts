import { Counter, type Metric, type Registry } from 'prom-client';
import { LATENCY_BUCKETS, type RequestCounts, type RequestSeries } from './request-series.js';

const DURATION = 'sallyport_http_request_duration_seconds';

/** Shows the counts of requests to Prometheus. */
export function registerRequestMetrics(registry: Registry, counts: RequestCounts): void {
  new Counter({
    name: 'sallyport_http_requests_total',
    help: 'Requests by route and outcome; `aborted`: the client was gone before the answer was out.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, route, outcomes } of counts.read()) {
        for (const [outcome, count] of outcomes) this.inc({ method, route, status: String(outcome) }, count);
      }
    },
  });
  // A histogram of prom-client's can be observed into and not be filled: this one yields what it would.
  const histogram = {
    name: DURATION,
    async get() {
      return {
        name: DURATION,
        help: 'From the first look at a request to the end of its answer.',
        type: 'histogram',
        aggregator: 'sum',
        values: counts.read().flatMap(valuesOf),
      };
    },
    reset() {},
  };
  registry.registerMetric(histogram as unknown as Metric);
}

function valuesOf({ method, route, latencies, secondsSum }: RequestSeries): object[] {
  const labels = { method, route };
  let total = 0;
  const buckets = latencies.map((count, index) => {
    total += count;
    const le = LATENCY_BUCKETS[index] ?? '+Inf';
    return { metricName: `${DURATION}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${DURATION}_sum`, labels, value: secondsSum },
    { metricName: `${DURATION}_count`, labels, value: total },
  ];
}
