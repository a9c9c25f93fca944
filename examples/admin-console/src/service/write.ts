import { type IdempotencyHeader, newKey, RefusedError } from '@sallyport/api-client';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/** A refusal after which the same write may have taken effect, or may still do so. */
const OPEN_OUTCOMES = ['IDEMPOTENCY_PROCESSING', 'IDEMPOTENCY_STORE_UNAVAILABLE'];

/** Whether the write may have taken effect, or may still do so: a repetition needs the same idempotency key. */
export function hasOpenOutcome(error: unknown): boolean {
  const isDecided = error instanceof RefusedError && error.problem.status < 500;
  return !isDecided || OPEN_OUTCOMES.includes(error.code);
}

/** Options of {@link useWrite}. */
export interface WriteOptions<Result> {
  /** The lists and records that the write changes: they are read again. */
  readonly changes: readonly QueryKey[];
  /** Null: the write took effect in an earlier attempt, whose answer was lost. */
  readonly onDone?: (result: Result | null) => void;
}

/**
 * A write that a person may repeat. A repetition of the same content after an open outcome, such as a lost connection,
 * has the same idempotency key, so it takes effect once; other content has a new key.
 *
 * @param send gets the content and the header; it throws `RefusedError` for a refusal, as `dataOf` does
 */
export function useWrite<Content, Result>(
  send: (content: Content, header: IdempotencyHeader) => Promise<Result>,
  { changes, onDone }: WriteOptions<Result>,
) {
  const queries = useQueryClient();
  const open = useRef<{ readonly content: string; readonly header: IdempotencyHeader } | null>(null);
  return useMutation({
    async mutationFn(content: Content): Promise<Result | null> {
      // No content has no JSON text.
      const text = String(JSON.stringify(content));
      const isRepeated = open.current?.content === text;
      if (!isRepeated || open.current === null) open.current = { content: text, header: newKey() };
      try {
        const result = await send(content, open.current.header);
        open.current = null;
        return result;
      } catch (error) {
        if (isRepeated && error instanceof RefusedError && error.code === 'IDEMPOTENCY_SUBMITTED') {
          open.current = null;
          return null;
        }
        if (!hasOpenOutcome(error)) open.current = null;
        throw error;
      }
    },
    async onSuccess(result) {
      onDone?.(result);
      await Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}
