import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBoundedCall, withinDeadline } from '@sallyport/plugin-kit/deadlines';
import { guardedCall } from '@sallyport/plugin-kit/postgres';
import { describeFailure } from '../chain/index.js';
import { TargetRefusedError, TargetUnavailableError } from './audit-target.js';
import { type Cursor, createDeliveryCursor, type Lag } from './delivery-cursor.js';
import { type AuditDeliveryOptions, readDeliveryOptions } from './delivery-options.js';
import { LogDivergedError, readAfter } from './delivery-rows.js';
import { createDeliveryStatus, type DeliveryError, type DeliveryStatus } from './delivery-status.js';
import { securityTest } from './security-actions.js';

const FIRST_PAUSE_MILLIS = 250;

/**
 * The maximum number of statements without an outcome. With this many the database hangs, and no further one is sent.
 */
const MAX_UNSETTLED = 3;

/** The number of renewals within the duration of a lease, so that one renewal may fail. */
const RENEWALS = 3;

/** The health of a delivery. The lag belongs to the destination, the rest to this node. */
export interface DeliveryHealth extends Lag {
  readonly destination: string;
  readonly status: DeliveryStatus;
  readonly lastError: DeliveryError | null;
  /**
   * The number of records that this node found missing between others, because they were deleted. `verify` names them.
   */
  readonly missing: number;
}

export interface AuditDelivery {
  readonly destination: string;
  /** The state of this node. */
  readonly status: DeliveryStatus;
  /** Starts to send. Further calls change nothing. */
  start(): void;
  /** Rejects with the database's error. */
  health(): Promise<DeliveryHealth>;
  /**
   * Waits up to `closeTimeoutMillis` for the batch that is being sent, and lets another node take over. The rest is
   * sent later, because the cursor is in the database.
   */
  close(): Promise<void>;
}

/**
 * Delivers the log to one destination: every record, in the order of the chain, at least once.
 *
 * Any number of nodes may run it for the same destination. One holds the lease and sends, and the others stand by. It
 * reads a batch after the cursor, sends it, and moves the cursor when the destination has acknowledged the whole batch.
 * After a failure the batch is sent again, so the destination may receive a record twice, with the same id and
 * sequence. The first copies arrive in sequence, because no batch begins after a record that was not acknowledged.
 *
 * @example
 * ```ts
 * const delivery = createAuditDelivery({
 *   database: drizzle(client),
 *   destination: 'siem', // names the cursor
 *   target: createNdjsonTarget({
 *     url: `http://127.0.0.1:${port}/audit`,
 *     headers: { authorization: 'Bearer of-the-receiver' },
 *   }),
 *   log: app.log,
 * });
 * delivery.start();
 * ```
 *
 * @throws AuditSetupError naming every fault of the options
 */
export function createAuditDelivery(options: AuditDeliveryOptions): AuditDelivery {
  const checked = readDeliveryOptions(options);
  const { database, destination, target, table, heads, deliveries, leaseSeconds, maxBatch, pollMillis } = checked;
  const source = { database, table, heads, isSecurityEvent: securityTest(checked.securityActions) };
  const cursorRow = createDeliveryCursor({
    ...{ database, table, heads, deliveries, destination, leaseSeconds },
    owner: randomUUID(),
  });
  const { databaseTimeoutMillis: timeoutMillis } = checked;
  const boundedBy = (maxUnsettled: number) =>
    guardedCall(database, createBoundedCall({ timeoutMillis, maxUnsettled, toError: keepDivergence }));
  const query = boundedBy(MAX_UNSETTLED);
  const renewal = boundedBy(1);
  const lagQuery = boundedBy(1);
  const state = createDeliveryStatus(destination, checked.log);

  /** Aborted by `close`, so that no further batch begins. */
  const stop = new AbortController();
  /** Aborted when `close` has waited long enough. */
  const cut = new AbortController();
  let running: Promise<void> | null = null;
  let reading: Promise<Lag> | null = null;

  const pause = (millis: number, signal: AbortSignal) =>
    sleep(millis, undefined, { signal: AbortSignal.any([signal, stop.signal]), ref: false }).catch(() => {});

  async function run(): Promise<void> {
    let failures = 0;
    while (!stop.signal.aborted) {
      try {
        const cursor = await query(() => cursorRow.acquire());
        if (cursor === null) {
          state.note('standby');
          failures = 0;
          await pause(pollMillis, stop.signal);
          continue;
        }
        await whileHeld((lost) =>
          deliverFrom(cursor, lost, () => {
            failures = 0;
          }),
        );
      } catch (error) {
        if (stop.signal.aborted) break;
        state.noteFailure(error);
        failures += 1;
        await pause(pauseAfter(error, failures), stop.signal);
      }
    }
  }

  /**
   * Renews the lease while the work runs, and ends it afterwards, because another node may reach a destination that
   * this one can't.
   */
  async function whileHeld(work: (lost: AbortSignal) => Promise<void>): Promise<void> {
    const lost = new AbortController();
    const everyMillis = (leaseSeconds * 1000) / RENEWALS;
    let renewedAt = performance.now();
    const renew = async () => {
      const startedAt = performance.now();
      const isHeld = await renewal(() => cursorRow.renew()).catch(() => null);
      if (isHeld === true) renewedAt = startedAt;
      // Other nodes may send from now on.
      if (isHeld === false || performance.now() - renewedAt >= everyMillis * (RENEWALS - 1)) lost.abort();
    };
    const timer = setInterval(() => void renew(), everyMillis).unref();
    try {
      await work(lost.signal);
    } finally {
      clearInterval(timer);
      lost.abort();
      await query(() => cursorRow.release()).catch(() => {});
    }
  }

  /** Sends until the lease is lost, the delivery is closed, or something fails. */
  async function deliverFrom(start: Cursor, lost: AbortSignal, onDelivered: () => void): Promise<void> {
    let cursor = start;
    let limit = maxBatch;
    while (!stop.signal.aborted && !lost.aborted) {
      const { records, missing } = await query(() => readAfter(source, cursor, limit));
      const last = records.at(-1);
      if (last === undefined) {
        state.note('delivering');
        onDelivered();
        await pause(pollMillis, lost);
        continue;
      }
      state.noteMissing(missing);
      try {
        await target.send(records, AbortSignal.any([lost, cut.signal]));
      } catch (error) {
        const isDivisible = error instanceof TargetRefusedError && error.isDivisible;
        if (!isDivisible || records.length === 1) throw error;
        // Finds the refused record, and delivers those before it.
        limit = Math.ceil(records.length / 2);
        continue;
      }
      const next = { sequence: last.sequence, mac: last.mac };
      if (!(await query(() => cursorRow.advance(cursor, next)))) return;
      cursor = next;
      limit = Math.min(maxBatch, 2 * limit);
      state.note('delivering');
      onDelivered();
    }
  }

  function pauseAfter(error: unknown, failures: number): number {
    const longest = checked.maxRetrySeconds * 1000;
    if (error instanceof TargetRefusedError || error instanceof LogDivergedError) return longest;
    const asked = error instanceof TargetUnavailableError ? error.retryAfterMillis : 0;
    return Math.min(longest, Math.max(asked, FIRST_PAUSE_MILLIS * 2 ** Math.min(failures - 1, 20)));
  }

  return {
    destination,
    get status() {
      return state.status;
    },
    start() {
      if (running !== null || stop.signal.aborted) return;
      running = run().finally(() => state.note('idle'));
    },
    async health() {
      // Health checks and metrics read at the same time.
      reading ??= lagQuery(() => cursorRow.readLag()).finally(() => {
        reading = null;
      });
      const lag = await reading;
      return { destination, status: state.status, ...lag, lastError: state.lastError, missing: state.missing };
    },
    async close() {
      stop.abort();
      if (running === null) return;
      const cutOff = () => cut.abort();
      const timer = setTimeout(cutOff, checked.closeTimeoutMillis);
      // A target that ignores its signal must not keep the process alive.
      const longest = checked.closeTimeoutMillis + checked.databaseTimeoutMillis;
      await withinDeadline(running, longest, () => new Error('the target ignores its signal')).catch(() => {});
      clearTimeout(timer);
    },
  };
}

/** The delivery's own error says what to do. Other errors may quote a statement. */
function keepDivergence(error: unknown): unknown {
  return error instanceof LogDivergedError ? error : describeFailure(error);
}
