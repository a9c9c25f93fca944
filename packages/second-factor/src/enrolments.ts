import { randomUUID } from 'node:crypto';
import type { TotpAlgorithm } from './records/index.js';
import { type SecondFactorStore, tagOf } from './shared-options.js';

/** An enrolment in the store. Its secret is encrypted, as it is in the record later. */
export interface PendingTotp {
  readonly id: string;
  readonly name: string | null;
  readonly secret: string;
  readonly algorithm: TotpAlgorithm;
  /** The epoch of the record when it began. */
  readonly epoch: string;
}

export interface FoundEnrolment {
  readonly pending: PendingTotp;
  /** Ends the enrolment. Of all calls, on any number of nodes, exactly one resolves to true. */
  take(): Promise<boolean>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Secrets that wait for their first code, each under its account and its id. */
export function createEnrolments(store: SecondFactorStore, keyPrefix: string) {
  const keyOf = (principal: string, id: string) => `${keyPrefix}enrolment:${tagOf(principal)}:${id}`;
  return {
    newId: () => randomUUID(),
    async begin(principal: string, pending: PendingTotp, ttlMillis: number): Promise<void> {
      await store.set(keyOf(principal, pending.id), JSON.stringify(pending), ttlMillis);
    },
    async find(principal: string, id: unknown): Promise<FoundEnrolment | null> {
      if (typeof id !== 'string' || !UUID.test(id)) return null;
      const key = keyOf(principal, id);
      const text = await store.get(key);
      if (text === null) return null;
      return { pending: JSON.parse(text) as PendingTotp, take: () => store.compareAndDelete(key, text) };
    },
  };
}
