import type { FastifyBaseLogger } from 'fastify';
import { EnvelopeSetupError } from '../errors.js';
import { readSuppliedKeys, type ServerKeysReading } from '../keys/index.js';
import { describeFailure } from './describe-failure.js';
import { createKeyLoader } from './key-loader.js';
import type { KeyRing } from './key-ring.js';
import type { CheckedKeySource } from './key-source.js';
import { createKnownKeys } from './known-keys.js';
import { testProvider } from './provider-test.js';
import { createSupplyDigest } from './supply-digest.js';

/** The keys could not be refreshed. The service continues with its present keys. */
export interface KeyRefreshFailure {
  /** The first failure since the last success, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** The reasons, as sentences without a secret. */
  readonly faults: readonly string[];
}

/** Options of {@link createKeyRotation}. */
export interface KeyRotationOptions {
  readonly source: CheckedKeySource;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'error'>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Loads the keys of a source, and replaces the keys in use when the source yields others. */
export interface KeyRotation {
  /** The keys for the start, or the reasons why there are none. */
  load(): Promise<ServerKeysReading>;
  /**
   * Starts to refresh the keys of the ring.
   *
   * @throws EnvelopeSetupError if the source can't be subscribed to
   */
  start(ring: Pick<KeyRing, 'keys' | 'replace'>): void;
  /** The failure of the last refresh. Null if it succeeded. */
  failure(): KeyRefreshFailure | null;
  /** Aborts a running call, and ends the subscription. */
  close(): void;
}

/** The time after which a failed call is repeated, or the interval of the source if that is less. */
const MAX_RETRY_SECONDS = 10;

/**
 * The minimum time between a refresh and one by a notice. A folder that changes all the time must not keep the service
 * loading.
 */
const MIN_NOTICE_MILLIS = 500;

/** A continuing failure is logged again after this time. */
const REPEAT_LOG_MILLIS = 600_000;

/**
 * A value that is not a function could not be called at the end, and the rejection of a promise would end the process.
 */
function requireEnd(unsubscribe: unknown): void {
  if (unsubscribe === undefined || unsubscribe === null || typeof unsubscribe === 'function') return;
  void Promise.resolve(unsubscribe).catch(() => {});
  throw new EnvelopeSetupError('envelope-crypto', [
    'keySource: subscribe must return a function that ends the subscription, or nothing, and no promise',
  ]);
}

export function createKeyRotation({ source, log, now }: KeyRotationOptions): KeyRotation {
  const loader = createKeyLoader(source);
  const knownKeys = createKnownKeys();
  const digest = createSupplyDigest();
  let inUse: string | null = null;
  let failure: KeyRefreshFailure | null = null;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;
  let isAskedAgain = false;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let unsubscribe: unknown;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  /** Undefined if the keys are already in use. */
  async function loadOthers(): Promise<{ readonly reading: ServerKeysReading; readonly of: string } | undefined> {
    try {
      const supplied = await loader.load();
      const of = digest(supplied);
      return of === inUse ? undefined : { reading: await tested(readSuppliedKeys(supplied)), of };
    } catch (error) {
      return { reading: { kind: 'refused', faults: [`load failed: ${describeFailure(error)}`] }, of: '' };
    }
  }

  /** The unwrapping tests the private keys of this process. */
  async function tested(reading: ServerKeysReading): Promise<ServerKeysReading> {
    if (reading.kind === 'refused') return reading;
    const { keys } = reading;
    let faults = knownKeys.reusedIdFaults(keys);
    if (faults.length === 0) faults = await testProvider(keys, (keyId) => knownKeys.publicKeyOf(keyId, keys));
    if (faults.length === 0) return reading;
    keys.wipe();
    return { kind: 'refused', faults };
  }

  async function refresh(ring: Pick<KeyRing, 'keys' | 'replace'>): Promise<void> {
    const others = await loadOthers();
    const { reading, of } = others ?? { reading: null, of: '' };
    if (isClosed) return reading?.kind === 'loaded' ? reading.keys.wipe() : undefined;
    if (reading === null) return succeed();
    if (reading.kind === 'refused') return fail(reading.faults, ring);
    try {
      await ring.replace(reading.keys);
    } catch (error) {
      return fail([`the keys can't be used: ${describeFailure(error)}`], ring);
    }
    inUse = of;
    knownKeys.remember(reading.keys);
    log.info({ keyId: ring.keys.current.keyId, keyIds: ring.keys.keyIds }, 'the keys of the envelopes were replaced');
    succeed();
  }

  function succeed(): void {
    if (failure !== null) log.info('the keys of the envelopes are refreshed again');
    failure = null;
  }

  function fail(faults: readonly string[], { keys }: Pick<KeyRing, 'keys'>): void {
    const isNew = failure?.faults.join() !== faults.join();
    failure = { since: failure?.since ?? now(), faults };
    if (!isNew && performance.now() - loggedAt < REPEAT_LOG_MILLIS) return;
    loggedAt = performance.now();
    log.error(
      { keyId: keys.current.keyId, faults },
      'the keys of the envelopes could not be refreshed: those in use stay',
    );
  }

  function schedule(ring: Pick<KeyRing, 'keys' | 'replace'>): void {
    const { refreshSeconds } = source;
    const seconds = failure === null ? refreshSeconds : Math.min(refreshSeconds, MAX_RETRY_SECONDS);
    timer = setTimeout(() => refreshNow(ring), seconds * 1000).unref();
  }

  function refreshNow(ring: Pick<KeyRing, 'keys' | 'replace'>): void {
    refreshing = refresh(ring).finally(() => {
      refreshing = null;
      refreshedAt = performance.now();
      if (isClosed) return;
      if (isAskedAgain) {
        isAskedAgain = false;
        refreshSoon(ring);
      } else schedule(ring);
    });
  }

  /** One refresh runs at a time. A notice during a refresh begins another one afterwards. */
  function refreshSoon(ring: Pick<KeyRing, 'keys' | 'replace'>): void {
    if (isClosed) return;
    if (refreshing !== null) {
      isAskedAgain = true;
      return;
    }
    clearTimeout(timer);
    const waitMillis = refreshedAt + MIN_NOTICE_MILLIS - performance.now();
    if (waitMillis > 0) timer = setTimeout(() => refreshNow(ring), waitMillis).unref();
    else refreshNow(ring);
  }

  async function endSubscription(): Promise<void> {
    try {
      if (typeof unsubscribe === 'function') await unsubscribe();
    } catch (error) {
      log.error({ reason: describeFailure(error) }, 'the subscription to the keys of the envelopes did not end');
    }
  }

  return {
    async load() {
      const first = await loadOthers();
      inUse = first!.of;
      if (first!.reading.kind === 'loaded') knownKeys.remember(first!.reading.keys);
      return first!.reading;
    },
    start(ring) {
      try {
        unsubscribe = source.subscribe(() => refreshSoon(ring));
      } catch (error) {
        throw new EnvelopeSetupError('envelope-crypto', [`keySource: subscribe failed: ${describeFailure(error)}`]);
      }
      requireEnd(unsubscribe);
      if (refreshing === null) schedule(ring);
    },
    failure: () => failure,
    close() {
      isClosed = true;
      clearTimeout(timer);
      loader.abort(new Error('the service is closing'));
      void endSubscription();
    },
  };
}
