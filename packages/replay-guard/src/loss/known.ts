import type { StoreMarks } from '@sallyport/ttl-store';
import type { KeptMark } from '@sallyport/ttl-store/loss';
import type { ReplayGuardEvent } from './events.js';
import type { Mark } from './mark.js';
import type { Witness } from './witness.js';

export interface NonceMarkOptions {
  readonly marks: StoreMarks;
  readonly keyPrefix: string;
  readonly clockSkewSeconds: number;
  readonly witness: Witness | null;
  readonly isNewStore: boolean;
  readonly monotonic: () => number;
  readonly wait: (millis: number) => Promise<void>;
  readonly onEvent: (event: ReplayGuardEvent) => void;
}

/** The knowledge of this process about one part. */
export type Known = KeptMark<Mark>;
