import type { FastifyBaseLogger } from 'fastify';
import type { EnvelopeKeyUnavailableError } from '../errors.js';
import { describeFailure } from '../rotation/index.js';

/** The interval of the lines. A flood causes a refusal for every request, and one line per interval counts them. */
const LINE_INTERVAL_MILLIS = 10_000;

/** Counts envelopes that could not be opened at the moment. */
export interface RefusalLog {
  note(refusal: EnvelopeKeyUnavailableError): void;
  close(): void;
}

/** Writes one line at `warn` for the first refusal, and one for all further ones of each interval, without stacks. */
export function createRefusalLog(log: Pick<FastifyBaseLogger, 'warn'>): RefusalLog {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isClosed = false;
  let refused = 0;
  let why = '';

  function writeLine(): void {
    log.warn({ refused, why }, 'envelopes were refused, because they could not be opened at the moment');
    refused = 0;
    timer = setTimeout(() => {
      timer = null;
      if (refused > 0) writeLine();
    }, LINE_INTERVAL_MILLIS).unref();
  }

  return {
    note({ cause }) {
      if (isClosed) return;
      refused++;
      why = describeFailure(cause);
      if (timer === null) writeLine();
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
