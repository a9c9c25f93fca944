import { HOLD_LIMIT_MILLIS } from './event-loop.mjs';

/** The part of a core that bare Fastify uses under full load if nobody else takes it. */
const MIN_BARE_USE = 0.85;

/** What this package demands of itself (PRF-1, PRF-2, and issue 9's bound on the event loop), judged within one run. */
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
    // The packages are judged, as in PRF-3 and PRF-4: what the reference server adds for every request is not the
    // envelope's, and stands in the table. By rate, as it is demanded: a second core, where there is one, counts for
    // who uses it. A bare Fastify that was kept from its core makes every share of its rate look good, and proves
    // nothing.
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
      most: HOLD_LIMIT_MILLIS,
      isMet: held <= HOLD_LIMIT_MILLIS,
    });
  }
  return verdicts;
}
