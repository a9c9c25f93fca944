import { type MarkSight, type MarkTerms, NO_BOUNDS } from '../contract/index.js';
import { type KeptMark, type MarkKeeperOptions, readMarkKeeperOptions, type StoreLoss } from './mark-keeper-options.js';
import type { Contact } from './store-time.js';

/** Keeps the marks of a store, and detects losses of its data by them. It does not know the data. */
export interface MarkKeeper<Mark> {
  known(part: number): KeptMark<Mark> | null;
  /** Reads the mark, and replaces it after a loss. Concurrent callers share one reading. */
  settle(part: number): Promise<KeptMark<Mark>>;
  /**
   * Settles all parts, so that an idle process notices a loss and detects a restored mark as older. Call it before the
   * first use, and every second.
   */
  beat(): Promise<readonly KeptMark<Mark>[]>;
  termsOf(known: KeptMark<Mark>): MarkTerms;
  /** An answer of the store under this mark. */
  note(part: number, known: KeptMark<Mark>, contact: Contact): void;
  /**
   * Replaces a mark that was seen, up to a time of the store's clock. Null if another process was faster, if an older
   * copy has come back, or if it is too late.
   */
  replace(
    part: number,
    mark: Mark,
    over: SeenMark | null,
    contact: Contact,
    notAfter?: number,
  ): Promise<KeptMark<Mark> | null>;
}

/** The mark that is replaced. */
export type SeenMark = Pick<KeptMark<unknown>, 'text' | 'expiresAt'>;

/** A day. Processes that were all down for less find their mark. Each beat extends its expiry. */
export const MARK_TTL_MILLIS = 24 * 3600 * 1000;

/** A process that knows nothing trusts a mark only if another process has extended its expiry within this time. */
const MAX_UNKEPT_MILLIS = 10_000;

/** Two readings of an expiry differ by less. A beat extends it by a second. */
const EXPIRY_ERROR_MILLIS = 100;

/** Each attempt fails only if another process wrote the mark in between, or the store lost data again. */
const MAX_ATTEMPTS = 5;

/**
 * Keeps marks of a store with {@link StoreMarks}. If a read or a write under the terms of a known mark succeeds, the
 * store has lost nothing since that mark was seen.
 *
 * @example
 * ```ts
 * const keeper = createMarkKeeper<{ id: string; run: string }>({
 *   marks: store.marks!,
 *   key: 'orders:mark',
 *   monotonic: () => performance.now(),
 *   read: (text) => JSON.parse(text), // null for what this version can't read
 *   write: (mark) => JSON.stringify(mark),
 *   next: ({ loss, sight }) => (loss === null ? null : { id: randomUUID(), run: sight.run }),
 *   onWritten: ({ loss, before }) => {
 *     if (loss !== null && before !== null) losses.push(loss); // one process of all is told
 *   },
 * });
 * await keeper.beat(); // before the first use, and then every second
 * ```
 */
export function createMarkKeeper<Mark extends { readonly run: string }>(
  options: MarkKeeperOptions<Mark>,
): MarkKeeper<Mark> {
  const { marks, key, monotonic, read, write, next, onWritten } = readMarkKeeperOptions(options);
  const parts = Array.from({ length: marks.parts }, () => ({
    known: null as KeptMark<Mark> | null,
    settling: null as Promise<KeptMark<Mark>> | null,
  }));
  type Part = (typeof parts)[number];

  const termsOf = ({ mark, text, expiresAt }: KeptMark<Mark>): MarkTerms => ({
    key,
    value: text,
    run: mark.run,
    minExpiresAt: expiresAt - EXPIRY_ERROR_MILLIS,
  });

  /** A process that knows nothing has terms that hold for no mark, so it only reads. */
  const noTerms: MarkTerms = { key, value: '', run: '', minExpiresAt: 0 };

  function lossOf(present: Mark | null, sight: MarkSight, before: KeptMark<Mark> | null): StoreLoss | null {
    if (present === null) return 'absent';
    if (present.run !== sight.run) return 'run';
    if (before === null) return sight.expiresAt < sight.time + MARK_TTL_MILLIS - MAX_UNKEPT_MILLIS ? 'older' : null;
    // After a loss that another process has noticed, the expiry may come from another clock.
    const isOfSameRun = before.mark.run === sight.run;
    return isOfSameRun && sight.expiresAt < before.expiresAt - EXPIRY_ERROR_MILLIS ? 'older' : null;
  }

  async function look(part: number): Promise<KeptMark<Mark>> {
    const state = parts[part] as Part;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = state.known;
      const sentAt = monotonic();
      const sight = await marks.keep(part, before === null ? noTerms : termsOf(before), MARK_TTL_MILLIS);
      const contact = { time: sight.time, sentAt, answeredAt: monotonic() };
      const present = sight.value === null ? null : read(sight.value);
      const seen = { part, sight, contact, present, before, loss: lossOf(present, sight, before) };
      const mark = await next(seen);
      if (mark !== null) {
        const over = sight.value === null ? null : { text: sight.value, expiresAt: sight.expiresAt };
        const written = await replace(part, mark, over, contact);
        if (written === null) continue;
        onWritten?.(seen, mark);
        return written;
      }
      if (present === null || seen.loss !== null) throw new TypeError('next must return a new mark after a loss');
      const isOfSameRun = before?.mark.run === present.run;
      const expiresAt = isOfSameRun ? Math.max(before.expiresAt, sight.expiresAt) : sight.expiresAt;
      state.known = { mark: present, text: sight.value as string, expiresAt, contact };
      return state.known;
    }
    throw new Error('The mark of the store changes all the time');
  }

  async function replace(
    part: number,
    mark: Mark,
    over: SeenMark | null,
    contact: Contact,
    notAfter = NO_BOUNDS.notAfter,
  ) {
    const text = write(mark);
    // An older copy has the same text. Under the new expiry its loss would go unnoticed.
    const bounds = { minExpiresAt: over === null ? 0 : over.expiresAt - EXPIRY_ERROR_MILLIS, notAfter };
    if (!(await marks.replace(part, key, over?.text ?? null, text, MARK_TTL_MILLIS, bounds))) return null;
    const known = { mark, text, expiresAt: contact.time + MARK_TTL_MILLIS, contact };
    (parts[part] as Part).known = known;
    return known;
  }

  function settle(part: number): Promise<KeptMark<Mark>> {
    const state = parts[part] as Part;
    state.settling ??= look(part).finally(() => {
      state.settling = null;
    });
    return state.settling;
  }

  return {
    known: (part) => (parts[part] as Part).known,
    settle,
    beat: () => Promise.all(parts.map((_, part) => settle(part))),
    termsOf,
    replace,

    note(part, known, contact) {
      const state = parts[part] as Part;
      if (state.known === known && contact.time >= known.contact.time) state.known = { ...known, contact };
    },
  };
}
