import { callback, objectWith, optional, readOptions, text } from '@sallyport/plugin-kit/options';
import { MAX_KEY_BYTES, type MarkSight, type StoreMarks } from '../contract/index.js';
import { StoreSetupError } from '../store-options.js';
import type { Contact } from './store-time.js';

/**
 * Why a store is considered to have lost data. `absent`: the mark is gone, as after a flush. `run`: the store was
 * started again, or a replica took over. `older`: the mark is an earlier one, as after a restore.
 */
export type StoreLoss = 'absent' | 'run' | 'older';

/** The knowledge of a process about the mark of one part. It is kept when the store loses the mark. */
export interface KeptMark<Mark> {
  readonly mark: Mark;
  readonly text: string;
  /** The latest expiry that was seen. */
  readonly expiresAt: number;
  readonly contact: Contact;
}

/** One reading of the mark of one part. */
export interface MarkLook<Mark> {
  readonly part: number;
  readonly sight: MarkSight;
  /** The start and the end of the reading. */
  readonly contact: Contact;
  /** Null if there is no readable mark. */
  readonly present: Mark | null;
  /** The previous knowledge. Null if there was none. */
  readonly before: KeptMark<Mark> | null;
  /** Null if nothing was lost. */
  readonly loss: StoreLoss | null;
}

/** Options of {@link createMarkKeeper}. */
export interface MarkKeeperOptions<Mark> {
  readonly marks: StoreMarks;
  /** The key of the marks. Each user of a store has its own. */
  readonly key: string;
  /** A clock that is never set, in milliseconds. */
  readonly monotonic: () => number;
  /** Null if this version would not write the text. */
  readonly read: (text: string) => Mark | null;
  readonly write: (mark: Mark) => string;
  /** The mark to write over the present one. Null leaves the present one. After a loss the mark must be new. */
  readonly next: (look: MarkLook<Mark>) => Mark | null | Promise<Mark | null>;
  /** Called after the next mark was written, unless another process was faster. */
  readonly onWritten?: (look: MarkLook<Mark>, mark: Mark) => void;
}

const rulesOf = <Mark>() => ({
  marks: objectWith<StoreMarks>({
    methods: ['keep', 'replace'],
    meaning: 'the marks of a store, such as those of @sallyport/ttl-store',
  }),
  key: text({ maxLength: MAX_KEY_BYTES, what: 'the key of the marks' }),
  monotonic: callback<() => number>({ that: 'returns milliseconds, such as performance.now' }),
  read: callback<MarkKeeperOptions<Mark>['read']>({ that: 'returns the mark of a text, or null' }),
  write: callback<MarkKeeperOptions<Mark>['write']>({ that: 'returns the text of a mark' }),
  next: callback<MarkKeeperOptions<Mark>['next']>({ that: 'returns the next mark, or null' }),
  onWritten: optional(
    callback<NonNullable<MarkKeeperOptions<Mark>['onWritten']>>({ that: 'takes a look and the mark that was written' }),
  ),
});

interface ValidMarkKeeperOptions<Mark> extends Omit<MarkKeeperOptions<Mark>, 'onWritten'> {
  readonly onWritten: MarkKeeperOptions<Mark>['onWritten'] | undefined;
}

/** @throws StoreSetupError naming every fault */
export function readMarkKeeperOptions<Mark>(options: MarkKeeperOptions<Mark>): ValidMarkKeeperOptions<Mark> {
  const owner = { subject: 'createMarkKeeper', SetupError: StoreSetupError };
  return readOptions<ValidMarkKeeperOptions<Mark>>(owner, options, rulesOf<Mark>());
}
