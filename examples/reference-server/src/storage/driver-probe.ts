import { Duplex } from 'node:stream';
import type postgres from 'postgres';

/** The time limit. The stub answers at once, so a driver without an answer by then also has a fault. */
const LIMIT_MILLIS = 10_000;

/** Answers of PostgreSQL, protocol 3.0. */
const AUTHENTICATED_AND_READY = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
const BEGUN = Buffer.from('C\0\0\0\x0aBEGIN\0Z\0\0\0\x05T', 'latin1');

/** Answers only the startup and `BEGIN`. */
function createStub(): Duplex {
  let hasStarted = false;
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      const answer = hasStarted ? BEGUN : AUTHENTICATED_AND_READY;
      hasStarted = true;
      // The answer is delayed, because a socket never answers during a write.
      setImmediate(() => this.push(answer));
      done();
    },
  });
}

/**
 * Whether postgres.js has the patch of `@sallyport/idempotency`, by its behaviour. One of the faults that the patch
 * corrects can be shown without harm: if `BEGIN` fills the pipeline of a connection, `begin` rejects as soon as its
 * function has begun (docs/upstream.md, point 6). Without the patch, a cut connection would end the process. No
 * connection is opened: the stub replaces the socket, and is left to the garbage collector. Requirement REL-16.
 */
export function isDriverMended(connect: typeof postgres): Promise<boolean> {
  // `max_pipeline` is missing in the types.
  const options = { max: 1, max_lifetime: null, idle_timeout: 0, fetch_types: false, max_pipeline: 0 };
  const client = connect({ ...options, host: 'stub', socket: async () => createStub() } as postgres.Options<
    Record<string, never>
  >);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LIMIT_MILLIS, false);
    const end = (isMended: boolean) => {
      clearTimeout(timer);
      resolve(isMended);
    };
    client
      .begin(() => {
        setImmediate(end, true);
        // This promise never settles, because nothing more is sent.
        return new Promise(() => {});
      })
      .catch(() => end(false));
  });
}
