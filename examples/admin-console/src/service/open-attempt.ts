import type { IdempotencyHeader } from '@sallyport/api-client';

/** A write without an answer: it may have taken effect, or may still do so. */
export interface OpenAttempt {
  /** What was sent, as JSON. */
  readonly content: string;
  readonly header: IdempotencyHeader;
}

/** Where an attempt waits for its repetition. */
export interface AttemptPlace {
  read(): OpenAttempt | null;
  write(attempt: OpenAttempt | null): void;
}

/** Forgets the attempt with the page. */
export function placeInPage(): AttemptPlace {
  let kept: OpenAttempt | null = null;
  return {
    read: () => kept,
    write(attempt) {
      kept = attempt;
    },
  };
}

/** Keeps the attempt for the tab: after a reload, the same write still has its key. */
export function placeInTab(name: string): AttemptPlace {
  return {
    read() {
      const [key, content] = splitOnce(sessionStorage.getItem(name) ?? '');
      return content === '' ? null : { content, header: { 'Idempotency-Key': key } };
    },
    write(attempt) {
      if (attempt === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, `${attempt.header['Idempotency-Key']} ${attempt.content}`);
    },
  };
}

/** A key has no blank. */
function splitOnce(text: string): readonly [string, string] {
  const blank = text.indexOf(' ');
  return blank < 0 ? ['', ''] : [text.slice(0, blank), text.slice(blank + 1)];
}
