import type { AuditSink } from '@sallyport/audit-log';
import type { Lag } from '@sallyport/audit-log/delivery';
import { EnvelopeExpiredOrReplayedError } from '@sallyport/envelope-crypto';
import type { FastifyInstance } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countRows } from '../audit-records/index.js';
import type { DeliveryOutcome } from '../notifications/index.js';
import { processMetrics } from './process-metrics.js';
import { createRequestCounts, type RequestCounts, registerRequestMetrics } from './request-metrics.js';

/** An answered request, without its route and duration. */
export interface AnsweredRequest {
  /** The code of the refusal. Null if the request was not refused. */
  readonly code: string | null;
  readonly status: number;
  /** Whether the envelope was opened. */
  readonly hadEnvelope: boolean;
  /** Whether the request ran under an idempotency key. */
  readonly hadKey: boolean;
}

/** Counters. Labels are codes, names and routes of this server, never client input. */
export interface ServiceMetrics {
  readonly requests: RequestCounts;
  noteAnswer(answer: AnsweredRequest): void;
  /** @param terminal or the kind of the codes of a second factor */
  noteLock(terminal: string): void;
  noteDelivery(outcome: DeliveryOutcome | 'retried'): void;
  /** Returns the sink with its durations measured. */
  timed<Sink extends AuditSink>(sink: Sink): Sink;
  /** Registers the metrics that are read on each scrape. Call it once, when every component is registered. */
  observe(app: FastifyInstance, readQueue: () => Promise<Readonly<Record<string, number>>>): void;
  /** The Prometheus text. Concurrent calls share one collection. */
  read(): Promise<string>;
  readonly contentType: string;
}

const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createServiceMetrics(): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = createRequestCounts();
  registerRequestMetrics(registry, requests);
  const ofProcess = processMetrics();
  const counter = (name: string, help: string, label: string) =>
    new Counter({ name: `sallyport_${name}`, help, labelNames: [label], registers });

  // Refusals must be as cheap as a flood makes them frequent. A labelled counter of prom-client costs too much.
  const refusals = new Map<string, number>();
  new Counter({
    name: 'sallyport_refusals_total',
    help: 'Refusals by code.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of refusals) this.inc({ code }, count);
    },
  });
  const envelopes = counter(
    'envelopes_total',
    'Envelopes by outcome: opened, malformed, expired, replayed, or another refusal code.',
    'outcome',
  );
  const runs = counter(
    'idempotent_runs_total',
    'Requests with an Idempotency-Key by outcome: completed, refused by the handler (the key may be used again), failed, or another refusal code.',
    'outcome',
  );
  const locks = counter(
    'login_locks_total',
    'Locks of sign-ins by terminal, and of codes of second factors by their kind.',
    'terminal',
  );
  const deliveries = counter(
    'notification_deliveries_total',
    'Outcomes of deliveries by this process; `retried`: another attempt follows.',
    'outcome',
  );
  const commits = new Histogram({
    name: 'sallyport_audit_commit_duration_seconds',
    help: 'Duration of the sink’s commits for a reply.',
    buckets: COMMIT_BUCKETS,
    registers,
  });
  const failedCommits = new Counter({
    name: 'sallyport_audit_commit_failures_total',
    help: 'Commits that the sink refused.',
    registers,
  });

  let reading: Promise<string> | null = null;
  return {
    requests,
    noteAnswer(answer) {
      const { code } = answer;
      if (code !== null) refusals.set(code, (refusals.get(code) ?? 0) + 1);
      const envelope = envelopeOutcome(answer);
      if (envelope !== null) envelopes.inc({ outcome: envelope });
      const run = runOutcome(answer);
      if (run !== null) runs.inc({ outcome: run });
    },
    noteLock: (terminal) => locks.inc({ terminal }),
    noteDelivery: (outcome) => deliveries.inc({ outcome }),
    timed<Sink extends AuditSink>(sink: Sink): Sink {
      async function append(records: Parameters<AuditSink['append']>[0]): Promise<void> {
        const stop = commits.startTimer();
        await sink.append(records).catch((error: unknown) => {
          failedCommits.inc();
          throw error;
        });
        stop();
      }
      // Inherit everything else from the sink, including getters.
      return Object.assign(Object.create(sink), { append });
    },
    observe: (app, readQueue) => registerComponentMetrics(registry, app, readQueue),
    read() {
      reading ??= Promise.all([registry.metrics(), ofProcess.metrics()])
        .then((texts) => texts.join('\n'))
        .finally(() => {
          reading = null;
        });
      return reading;
    },
    contentType: registry.contentType,
  };
}

const { code: EXPIRED_OR_REPLAYED } = new EnvelopeExpiredOrReplayedError(0);

/** The code alone does not distinguish a replay, whose envelope was opened, from an expired envelope. */
function envelopeOutcome({ code, hadEnvelope }: AnsweredRequest): string | null {
  if (code === EXPIRED_OR_REPLAYED) return hadEnvelope ? 'replayed' : 'expired';
  if (code?.startsWith('ENVELOPE_')) return code;
  return hadEnvelope ? 'opened' : null;
}

function runOutcome({ code, status, hadKey }: AnsweredRequest): string | null {
  if (code?.startsWith('IDEMPOTENCY_')) return code;
  if (!hadKey) return null;
  return status < 400 ? 'completed' : status < 500 ? 'refused' : 'failed';
}

/** Metrics that are read on each scrape and cost nothing in between. */
function registerComponentMetrics(
  registry: Registry,
  app: FastifyInstance,
  readQueue: () => Promise<Readonly<Record<string, number>>>,
): void {
  const registers = [registry];
  new Gauge({
    name: 'sallyport_component_up',
    help: '1 while the component of the service is UP, as in the health check.',
    labelNames: ['component'],
    registers,
    async collect() {
      const { components } = await app.health.read();
      for (const [component, { status }] of Object.entries(components)) {
        this.set({ component }, status === 'UP' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'sallyport_notifications',
    help: 'Notifications in the queue by state; absent while the queue is unavailable.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      const counts = await readQueue().catch(() => ({}));
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'sallyport_audit_records_waiting',
    help: 'Audit records that are not yet stored: a reply waits for `pending` records; `queued` records are written after their reply.',
    labelNames: ['kind'],
    registers,
    collect() {
      const { pending, queued } = app.auditLog.health();
      this.set({ kind: 'pending' }, pending);
      this.set({ kind: 'queued' }, queued);
    },
  });
  new Gauge({
    name: 'sallyport_audit_replies_open',
    help: 'Replies that a handler took over and upgraded connections, whose end is not recorded yet.',
    registers,
    collect() {
      this.set(app.auditLog.health().open);
    },
  });
  new Counter({
    name: 'sallyport_audit_records_not_kept_total',
    help: 'Audit records by outcome: `refused` (the operation was not acknowledged), `lost`, `omitted` (refusals beyond the limit, which are counted in the log).',
    labelNames: ['reason'],
    registers,
    collect() {
      const { refused, lost, omitted } = app.auditLog.health();
      this.reset();
      for (const [reason, count] of Object.entries({ refused, lost, omitted })) this.inc({ reason }, count);
    },
  });
  new Gauge({
    name: 'sallyport_audit_rows_lost',
    help: 'Audit records that the database lost after they were acknowledged, and whose loss nobody has accepted (accept-state).',
    registers,
    collect() {
      this.set(countRows(app.auditSink.lost));
    },
  });
  if (app.auditDeliveries.length > 0) registerDeliveryMetrics(registry, app);
  new Gauge({
    name: 'sallyport_envelope_info',
    help: 'The encryption mode and the active implementation; always 1.',
    labelNames: ['mode', 'backend'],
    registers,
    collect() {
      const { mode, backend } = app.envelopeCrypto;
      this.set({ mode, backend: backend?.name ?? 'none' }, 1);
    },
  });
  new Counter({
    name: 'sallyport_plaintext_requests_total',
    help: 'In mode OPTIONAL: plaintext requests by method and route. Switch to REQUIRED once there are none.',
    labelNames: ['operation'],
    registers,
    collect() {
      this.reset();
      for (const [operation, count] of app.envelopeCrypto.plaintextUses()) this.inc({ operation }, count);
    },
  });
}

/** The lag of each receiver of the audit log. Every node reports the same. */
function registerDeliveryMetrics(registry: Registry, app: FastifyInstance): void {
  const lagGauge = (name: string, help: string, lagOf: (lag: Lag) => number) =>
    new Gauge({
      name: `sallyport_audit_delivery_lag_${name}`,
      help: `${help}; absent while the database is unavailable.`,
      labelNames: ['destination'],
      registers: [registry],
      async collect() {
        this.reset();
        const healths = await Promise.allSettled(app.auditDeliveries.map((delivery) => delivery.health()));
        for (const health of healths) {
          if (health.status === 'fulfilled') this.set({ destination: health.value.destination }, lagOf(health.value));
        }
      },
    });
  lagGauge('records', 'Audit records that a receiver has not acknowledged', ({ lagRecords }) => lagRecords);
  lagGauge('seconds', 'Age of the oldest of them', ({ lagSeconds }) => lagSeconds);
}
