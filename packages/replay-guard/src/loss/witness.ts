import type { TtlStore } from '@sallyport/ttl-store';
import { readSpans, type Span, unite, writeSpans } from './spans.js';

/** A store that does not lose its data together with the nonces. */
export type Witness = Pick<TtlStore, 'get' | 'setIfAbsent' | 'compareAndSet'>;

/** Each attempt fails only if another node wrote in between. */
const MAX_ATTEMPTS = 10;

/** The announcements that the witness remembers. */
export async function readWitness(witness: Witness, key: string): Promise<readonly Span[]> {
  return spansIn(await witness.get(key));
}

function spansIn(text: string | null): readonly Span[] {
  try {
    return readSpans(JSON.parse(text ?? '[]')) ?? [];
  } catch {
    return [];
  }
}

/** Adds announcements of any node to the witness, and removes expired ones. */
export async function tellWitness(
  witness: Witness,
  key: string,
  spans: readonly Span[],
  time: number,
  ttlMillis: number,
): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const present = await witness.get(key);
    const text = JSON.stringify(writeSpans(unite([...spansIn(present), ...spans], time)));
    if (text === present) return;
    const isWritten =
      present === null
        ? await witness.setIfAbsent(key, text, ttlMillis)
        : await witness.compareAndSet(key, present, text, ttlMillis);
    if (isWritten) return;
  }
  throw new Error('The witness of the nonce store changes all the time');
}
