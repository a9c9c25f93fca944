import { type IdempotencyHeader, newKey, type RefusalCode, RefusedError } from '@sallyport/api-client';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AttemptPlace, placeInPage } from './open-attempt.js';
import { useSend } from './send.js';

/** A refusal after which the same write may have taken effect, or may still do so. */
const OPEN_OUTCOMES: readonly RefusalCode[] = ['IDEMPOTENCY_PROCESSING', 'IDEMPOTENCY_STORE_UNAVAILABLE'];

/** A refusal of every further request with the key: the user checks what became of the write. */
const SPENT_KEYS: readonly RefusalCode[] = ['IDEMPOTENCY_OUTCOME_UNKNOWN', 'IDEMPOTENCY_DIGEST_MISMATCH'];

/** Whether the write may have taken effect, or may still do so: a repetition needs the same idempotency key. */
function hasOpenOutcome(error: unknown): boolean {
  const isDecided = error instanceof RefusedError && error.problem.status < 500;
  return !isDecided || OPEN_OUTCOMES.includes(error.code);
}

/**
 * Whether the next attempt needs the same idempotency key as the failed one. The refusal of a repetition, such as of an
 * ended session, says nothing about the attempt before.
 */
export function keepsKey(error: unknown, { isRepeated }: { readonly isRepeated: boolean }): boolean {
  const isSpent = error instanceof RefusedError && SPENT_KEYS.includes(error.code);
  return !isSpent && (isRepeated || hasOpenOutcome(error));
}

/** Options of {@link useWrite}. */
export interface WriteOptions<Result> {
  /** The lists and records that the write changes: they are read again. */
  readonly changes: readonly QueryKey[];
  /** Null: the write took effect in an earlier attempt, whose answer was lost. */
  readonly onDone?: (result: Result | null) => void;
  /** Where an attempt without an answer waits. Default: in the page, which forgets it when it is left. */
  readonly attempts?: AttemptPlace;
}

/**
 * A write that a person may repeat. A repetition of the same content after an open outcome, such as a lost connection,
 * has the same idempotency key, so it takes effect once; other content has a new key.
 *
 * @param send gets the content and the header; it throws `RefusedError` for a refusal, as `dataOf` does
 */
export function useWrite<Content, Result>(
  send: (content: Content, header: IdempotencyHeader) => Promise<Result>,
  { changes, onDone, attempts }: WriteOptions<Result>,
) {
  const queries = useQueryClient();
  const [inPage] = useState(placeInPage);
  const place = attempts ?? inPage;
  return useSend({
    async mutationFn(content: Content): Promise<Result | null> {
      // No content has no JSON text.
      const text = String(JSON.stringify(content));
      const open = place.read();
      const isRepeated = open?.content === text;
      const header = isRepeated ? open.header : newKey();
      place.write({ content: text, header });
      try {
        const result = await send(content, header);
        place.write(null);
        return result;
      } catch (error) {
        if (isRepeated && error instanceof RefusedError && error.code === 'IDEMPOTENCY_SUBMITTED') {
          place.write(null);
          return null;
        }
        if (!keepsKey(error, { isRepeated })) place.write(null);
        throw error;
      }
    },
    async onSuccess(result) {
      onDone?.(result);
      await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}
