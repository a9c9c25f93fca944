import { type AuditTarget, type DeliveredRecord, TargetUnavailableError } from '../../src/delivery.js';

/** A destination in memory. It can fail, take a part of a batch, lose its answer, and hang. */
export interface RecordingTarget extends AuditTarget {
  /** Every record that arrived, in this order. */
  readonly arrived: DeliveredRecord[];
  /** The records that are kept when repeated ids are dropped. */
  kept(): DeliveredRecord[];
  /** The lengths of the batches that were tried. */
  readonly batches: number[];
  /** Called before a batch arrives: how many of its records arrive, and whether the batch is acknowledged. */
  fault: (records: readonly DeliveredRecord[], signal: AbortSignal) => Fault | Promise<Fault>;
}

export interface Fault {
  /** Default all. */
  readonly arriving?: number;
  /** Thrown after they arrived. Default none: the batch is acknowledged. */
  readonly error?: Error;
}

export const broken = (arriving: number): Fault => ({ arriving, error: new TargetUnavailableError('broke') });

export function createRecordingTarget(arrived: DeliveredRecord[] = []): RecordingTarget {
  return {
    arrived,
    kept() {
      return [...new Map([...arrived].reverse().map((record) => [record.id, record])).values()].reverse();
    },
    batches: [],
    fault: () => ({}),
    async send(records, signal) {
      this.batches.push(records.length);
      const { arriving = records.length, error } = await this.fault(records, signal);
      arrived.push(...records.slice(0, arriving));
      if (error !== undefined) throw error;
    },
  };
}
