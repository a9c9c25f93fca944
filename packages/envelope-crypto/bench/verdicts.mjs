import { MAX_HOLD_MILLIS } from './event-loop.mjs';

/** The share of a core that bare Fastify uses under full load on a quiet machine. */
const MIN_BARE_USE = 0.85;

/** The requirements (PRF-1, PRF-2, and issue 9's bound on the event loop), checked within one run. */
export function judge({ operations, pipeline, eventLoop }) {
  const verdicts = [];
  const demand = (demanded, measured, least) =>
    verdicts.push({ demanded, measured: Number(measured.toFixed(2)), least, isMet: measured >= least });

  const serverSide = operations?.find(({ operation }) => operation.startsWith('server side'))?.microseconds;
  if (serverSide?.kernel !== undefined) {
    if (serverSide.libcrypto !== undefined) {
      demand('PRF-1 server side, times libcrypto called from C', serverSide.libcrypto / serverSide.kernel, 3);
    }
    demand('PRF-1 server side, times the fastest npm peer', serverSide['sm-crypto-v2'] / serverSide.kernel, 20);
  }
  const bare = pipeline?.find(({ name }) => name === 'bare Fastify');
  const encrypted = pipeline?.find(({ name }) => name === 'packages alone, encrypted, kernel');
  if (encrypted !== undefined) {
    // As in PRF-3 and PRF-4, the check covers the packages. The reference server's own work is not the envelope's, and
    // is in the table. The check compares rates, so a second core counts. If bare Fastify did not get its core, every
    // ratio looks good and proves nothing.
    const wasHeldUp = (bare.requestsPerSecond * bare.micros) / 1e6 < MIN_BARE_USE;
    const demanded = 'PRF-2 encrypted POST, packages alone, of bare Fastify by rate';
    if (wasHeldUp)
      verdicts.push({ demanded: `${demanded}, which was held up`, measured: null, least: 0.25, isMet: false });
    else demand(demanded, encrypted.ofBare, 0.25);
  }
  for (const { backend, name, heldMillis } of eventLoop ?? []) {
    const held = heldMillis.median;
    verdicts.push({
      demanded: `event loop held by ${name}, ${backend}: median of the longest turn, milliseconds`,
      measured: Number(held.toFixed(2)),
      most: MAX_HOLD_MILLIS,
      isMet: held <= MAX_HOLD_MILLIS,
    });
  }
  return verdicts;
}
