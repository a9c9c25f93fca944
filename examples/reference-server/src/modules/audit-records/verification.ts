import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditFinding, AuditVerification, VerifyProgress } from '@sallyport/audit-log/postgres';
import type { TtlStore } from '@sallyport/ttl-store';
import type { FastifyBaseLogger } from 'fastify';
import { type GivenCheckpoint, shownCheckpoint } from './given-checkpoint.js';

/**
 * - `running`: a node reads the log.
 * - `finished`: the log was read to its end, or until it had too many faults.
 * - `failed`: it could not be read. The log of the server says why.
 * - `interrupted`: its node stopped, or crashed.
 */
export type VerificationState = 'running' | 'finished' | 'failed' | 'interrupted';

/** A verification of the audit log, as every node sees it. Times are milliseconds since the Unix epoch. */
export interface Verification {
  readonly id: string;
  readonly state: VerificationState;
  readonly startedAt: number;
  readonly startedBy: string;
  readonly endedAt: number | null;
  /** The number of rows that were read. */
  readonly rows: number;
  /** The progress, in whole percent of the log. */
  readonly percent: number;
  /** Null until it is finished. */
  readonly intact: boolean | null;
  /** The number of faults. While it runs, only faults of rows. */
  readonly findingCount: number;
  /** The first findings, by sequence. They are named at the end. */
  readonly findings: readonly AuditFinding[];
  /**
   * The last row that a signed checkpoint covers. Rows after it can be cut off unnoticed. Null until it is finished.
   */
  readonly coveredTo: number | null;
  /** The number of checkpoints with which the log was compared. Null until it is finished. */
  readonly checkpoints: number | null;
  /** The checkpoint that its starter gave. */
  readonly given: {
    readonly origin: string;
    readonly sequence: number;
    readonly at: string;
    /** Whether a key of the server signed it. Absent in results of an earlier release. */
    readonly ownKey?: boolean;
  } | null;
}

export interface LogVerification extends AuditVerification {
  /** Whether the log has findings even without the checkpoint of another key, which anybody can sign. */
  readonly isBroken: boolean;
}

export type VerifyLog = (
  onProgress: (progress: VerifyProgress) => Promise<void>,
  given: GivenCheckpoint | null,
) => Promise<LogVerification>;

export interface Verifications {
  /**
   * Starts a verification in the background, or resolves to the one that is running on any node. One with a checkpoint
   * of another key gives way to one without: it is interrupted, because its findings may not be those of the log.
   *
   * @param given a checkpoint with which the log is compared as well. A running one has not seen it.
   */
  start(startedBy: string, given?: GivenCheckpoint | null): Promise<Verification>;
  /** Null if there is none, or if it was forgotten. */
  find(id: string): Promise<Verification | null>;
  /** Interrupts the verifications in this process, and waits for their end. */
  close(): Promise<void>;
}

export interface VerificationsOptions {
  /** A store that all nodes share. */
  readonly store: Pick<TtlStore, 'get' | 'set' | 'setIfAbsent' | 'compareAndSet' | 'compareAndDelete' | 'delete'>;
  readonly verify: VerifyLog;
  readonly log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  /** Called when a verification has finished. */
  readonly onFinished: (verification: Verification, isBroken: boolean) => void;
  readonly now?: () => number;
  /** The time for which a node keeps a verification without a sign of life, in milliseconds. */
  readonly leaseMillis?: number;
}

/** The lifetime of a result. */
const KEPT_MILLIS = 7 * 86_400_000;

/** The lease. After a crash, another verification can be started after this time. */
const LEASE_MILLIS = 30_000;

/** The number of renewals within the time of a lease, because the store may fail in between. */
const RENEWALS = 3;

/** Time between two writes of the progress. */
const REPORT_MILLIS = 1000;

/** Findings that are kept with a result: 20 KB. The command `audit verify` lists them all. */
const MAX_KEPT_FINDINGS = 100;

/** The maximum number of faults. A log with more needs no exact number, and naming them would fill the memory. */
const MAX_FAULTS = 10_000;

/** The share of the time that a verification leaves to the requests of its process. */
const REST_SHARE = 0.5;

/** The longest pause, in milliseconds. A stop of the server waits for it. */
const MAX_REST_MILLIS = 1000;

/** The number of kept results. With more, repeated starts could fill the store, which sessions need. */
const MAX_KEPT = 20;

const PREFIX = 'audit-verification:';
const RUNNING_KEY = `${PREFIX}running`;
const KEPT_KEY = `${PREFIX}kept`;

/** Whether it compares the log with a checkpoint that no key of the server signed. */
const isOfOtherKey = ({ given }: Verification) => given?.ownKey === false;

class TooManyFaults extends Error {}
class Interrupted extends Error {}

/**
 * Verifications of the audit log (API-4). At most one runs on all nodes together, which a lease in the store ensures.
 * Its node keeps renewing the lease, even if the reading is slow, and stops when it has lost it. Result and progress
 * are in the store as well, so that every node can answer. A verification whose lease has ended without a result was
 * interrupted.
 */
export function createVerifications(options: VerificationsOptions): Verifications {
  const { store, verify, log, onFinished, now = Date.now, leaseMillis = LEASE_MILLIS } = options;
  let isClosing = false;
  const current = new Set<Promise<void>>();

  const keep = (verification: Verification) =>
    store.set(PREFIX + verification.id, JSON.stringify(verification), KEPT_MILLIS);

  async function read(id: string): Promise<Verification | null> {
    const text = await store.get(PREFIX + id);
    return text === null ? null : (JSON.parse(text) as Verification);
  }

  async function findRunning(): Promise<Verification | null> {
    const id = await store.get(RUNNING_KEY);
    const running = id === null ? null : await read(id);
    // The store has lost the lease. Its node stops with its next report.
    if (id !== null && running === null) await store.compareAndDelete(RUNNING_KEY, id);
    return running;
  }

  /** Takes the lease, from the running one if there is one. Resolves to false if another start was faster. */
  const takeLease = (id: string, running: Verification | null) =>
    running === null
      ? store.setIfAbsent(RUNNING_KEY, id, leaseMillis)
      : store.compareAndSet(RUNNING_KEY, running.id, id, leaseMillis);

  /** Resolves to false if the lease is lost. */
  const renewLease = (id: string) => store.compareAndSet(RUNNING_KEY, id, id, leaseMillis);

  /**
   * Returns the function that ends the renewals. A failure of the store does not mean that the lease is lost; if it
   * lasts, the lease ends by itself.
   */
  function keepLease(id: string): () => void {
    const timer = setInterval(() => void renewLease(id).catch(() => {}), leaseMillis / RENEWALS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Forgets the oldest results. The lease keeps others from doing so at the same time. */
  async function forgetOthers(id: string): Promise<void> {
    const kept = [id, ...(JSON.parse((await store.get(KEPT_KEY)) ?? '[]') as string[])];
    await Promise.all(kept.slice(MAX_KEPT).map((old) => store.delete(PREFIX + old)));
    await store.set(KEPT_KEY, JSON.stringify(kept.slice(0, MAX_KEPT)), KEPT_MILLIS);
  }

  /** Pauses for the requests of this process, and reports at intervals. */
  function reporter(started: Verification) {
    let reported = now();
    let resumed = performance.now();
    return async function onProgress({ rows, sequence, lastSequence, faults }: VerifyProgress): Promise<void> {
      if (isClosing) throw new Interrupted();
      if (faults > MAX_FAULTS) throw new TooManyFaults();
      if (now() - reported >= REPORT_MILLIS) {
        if (!(await renewLease(started.id))) throw new Interrupted();
        const percent = Math.min(99, Math.floor((100 * sequence) / Math.max(1, lastSequence)));
        await keep({ ...started, rows, percent, findingCount: faults });
        reported = now();
      }
      const rest = (performance.now() - resumed) * (REST_SHARE / (1 - REST_SHARE));
      await sleep(Math.min(rest, MAX_REST_MILLIS));
      resumed = performance.now();
    };
  }

  async function outcomeOf(
    started: Verification,
    given: GivenCheckpoint | null,
  ): Promise<{ readonly outcome: Verification; readonly isBroken: boolean }> {
    const finished = { ...started, state: 'finished', percent: 100 } as const;
    try {
      const { intact, findings, rows, coveredTo, checkpoints, isBroken } = await verify(reporter(started), given);
      const kept = { findingCount: findings.length, findings: findings.slice(0, MAX_KEPT_FINDINGS) };
      return { outcome: { ...finished, rows, intact, ...kept, coveredTo, checkpoints }, isBroken };
    } catch (err) {
      // These are faults of rows, which no checkpoint makes.
      if (err instanceof TooManyFaults)
        return { outcome: { ...finished, percent: 0, intact: false, findingCount: MAX_FAULTS }, isBroken: true };
      if (err instanceof Interrupted) return { outcome: { ...started, state: 'interrupted' }, isBroken: false };
      log.error({ err }, 'the audit log could not be verified');
      return { outcome: { ...started, state: 'failed' }, isBroken: false };
    }
  }

  async function run(started: Verification, given: GivenCheckpoint | null): Promise<void> {
    const endLease = keepLease(started.id);
    const { outcome, isBroken } = await outcomeOf(started, given);
    const ended = { ...outcome, endedAt: now() };
    endLease();
    if (ended.state === 'finished') onFinished(ended, isBroken);
    try {
      await keep(ended);
      await forgetOthers(started.id);
      await store.compareAndDelete(RUNNING_KEY, started.id);
    } catch (err) {
      // Without the result, the lease ends by itself, and the verification counts as interrupted.
      log.warn({ err }, 'the result of a verification of the audit log could not be stored');
    }
  }

  return {
    async start(startedBy, given = null) {
      const started: Verification = {
        ...{ id: randomUUID(), state: 'running', startedAt: now(), startedBy, endedAt: null, rows: 0, percent: 0 },
        ...{ intact: null, findingCount: 0, findings: [], coveredTo: null, checkpoints: null },
        given: given === null ? null : shownCheckpoint(given),
      };
      for (;;) {
        const running = await findRunning();
        if (running !== null && (isOfOtherKey(started) || !isOfOtherKey(running))) return running;
        // Written before the lease, so that its id always leads to a verification.
        await keep(started);
        if (await takeLease(started.id, running)) break;
        await store.delete(PREFIX + started.id);
      }
      const ran: Promise<void> = run(started, given).finally(() => current.delete(ran));
      current.add(ran);
      return started;
    },

    async find(id) {
      const found = await read(id);
      if (found?.state !== 'running' || (await store.get(RUNNING_KEY)) === id) return found;
      // The verification may have ended between the two reads.
      const again = await read(id);
      return again?.state === 'running' ? { ...again, state: 'interrupted' } : again;
    },

    async close() {
      isClosing = true;
      await Promise.all(current);
    },
  };
}
