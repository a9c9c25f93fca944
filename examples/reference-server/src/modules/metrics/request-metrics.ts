import { Counter, type Metric, type Registry } from 'prom-client';

/** Upper bounds of the latency buckets, in seconds. */
export const LATENCY_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The counts of one route and method. */
export interface RequestSeries {
  readonly route: string;
  readonly method: string;
  /** Answers by status. `aborted`: the client disconnected before the answer was sent. */
  readonly outcomes: ReadonlyMap<number | 'aborted', number>;
  /** Requests per bucket of `LATENCY_BUCKETS`, not cumulative. The last bucket has no upper bound. */
  readonly latencies: readonly number[];
  readonly secondsSum: number;
}

export interface RequestCounts {
  /** @param route the router's pattern, never the address; null for an unknown path */
  count(method: string, route: string | null, status: number, millis: number): void;
  /** Counts a request whose client disconnected before the answer was sent. It has no status and no duration. */
  countAborted(method: string, route: string | null): void;
  read(): RequestSeries[];
}

/** All unknown paths are one route, so that clients can't create series. */
const NO_ROUTE = '(none)';

/** Unknown methods are one method, for the same reason. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

/**
 * Counts requests by route and outcome, and their durations (OPS-8). It runs for every request: two look-ups and a few
 * additions cost a fraction of prom-client's labelled counters. Memory is bounded by the number of routes.
 */
export function createRequestCounts(): RequestCounts {
  const routes = new Map<string, Map<string, MutableSeries>>();

  function seriesOf(givenRoute: string | null, givenMethod: string): MutableSeries {
    const route = givenRoute ?? NO_ROUTE;
    const method = METHODS.includes(givenMethod) ? givenMethod : 'OTHER';
    let methods = routes.get(route);
    if (methods === undefined) {
      methods = new Map();
      routes.set(route, methods);
    }
    let series = methods.get(method);
    if (series === undefined) {
      const latencies = new Array<number>(LATENCY_BUCKETS.length + 1).fill(0);
      series = { route, method, outcomes: new Map(), latencies, secondsSum: 0 };
      methods.set(method, series);
    }
    return series;
  }

  return {
    count(method, route, status, millis) {
      const series = seriesOf(route, method);
      series.outcomes.set(status, (series.outcomes.get(status) ?? 0) + 1);
      const seconds = millis / 1000;
      let bucket = 0;
      while (bucket < LATENCY_BUCKETS.length && seconds > (LATENCY_BUCKETS[bucket] as number)) bucket += 1;
      series.latencies[bucket] = (series.latencies[bucket] ?? 0) + 1;
      series.secondsSum += seconds;
    },
    countAborted(method, route) {
      const { outcomes } = seriesOf(route, method);
      outcomes.set('aborted', (outcomes.get('aborted') ?? 0) + 1);
    },
    read: () => [...routes.values()].flatMap((methods) => [...methods.values()]),
  };
}

interface MutableSeries extends RequestSeries {
  readonly outcomes: Map<number | 'aborted', number>;
  readonly latencies: number[];
  secondsSum: number;
}

const DURATION = 'sallyport_http_request_duration_seconds';

/** Exports the request counts to Prometheus. */
export function registerRequestMetrics(registry: Registry, counts: RequestCounts): void {
  new Counter({
    name: 'sallyport_http_requests_total',
    help: 'Requests by route and outcome; `aborted`: the client disconnected before the answer was sent.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, route, outcomes } of counts.read()) {
        for (const [outcome, count] of outcomes) this.inc({ method, route, status: String(outcome) }, count);
      }
    },
  });
  // prom-client can't fill a histogram with existing counts. This object yields the same output.
  const histogram = {
    name: DURATION,
    async get() {
      return {
        name: DURATION,
        help: 'Duration from the arrival of a request to the end of its answer.',
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
