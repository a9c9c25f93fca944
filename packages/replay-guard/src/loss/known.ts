import type { StoreMarks } from '@sallyport/ttl-store';
import type { ReplayGuardEvent } from './events.js';
import type { Mark } from './mark.js';
import type { Contact } from './store-time.js';
import type { Witness } from './witness.js';

/** A day: nodes that were all down for less find what was announced. A beat moves the expiry of the mark. */
export const MARK_TTL_MILLIS = 24 * 3600 * 1000;

export interface MarkKeeperOptions {
  readonly marks: StoreMarks;
  readonly keyPrefix: string;
  readonly clockSkewSeconds: number;
  readonly witness: Witness | null;
  readonly isNewStore: boolean;
  readonly monotonic: () => number;
  readonly wait: (millis: number) => Promise<void>;
  readonly onEvent: (event: ReplayGuardEvent) => void;
}

/** What this process knows of one part. It outlives what the store forgets. */
export interface Known {
  readonly mark: Mark;
  readonly text: string;
  /** The latest expiry that was seen. */
  readonly expiresAt: number;
  readonly contact: Contact;
}
