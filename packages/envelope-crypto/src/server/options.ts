import { parse as parseQuerystring } from 'fast-querystring';
import { EnvelopeSetupInvalidError } from '../errors.js';
import type { KeyProvider } from '../keys/key-provider.js';
import { createServerKeys, type PrivateKeySource, type ServerKeys } from '../keys/server-keys.js';
import { SUITE_NAME } from '../suites/sm2-sm4-gcm-v1.js';
import { hasCoreForThread } from '../unwrapping/kernel-unwraps.js';
import { DEFAULT_BYPASS_ROUTES } from '../wire/default-bypass-routes.js';
import { type BypassRoute, readBypassRoutes } from './bypass-routes.js';
import type { BackendChoice } from './choose-suite.js';

/** What the service does with envelopes. */
export type EncryptionMode = 'OFF' | 'OPTIONAL' | 'REQUIRED';

/** Options of the plugin. The table of the interface document, "Encryption configuration", plus what a program adds. */
export interface EnvelopeCryptoOptions {
  /**
   * `OFF`: envelopes are not looked at. `OPTIONAL`: plaintext and encrypted requests are served. `REQUIRED`: every
   * endpoint but the exempt ones needs an envelope. Default `'OFF'`. Requirement ENV-2.
   */
  readonly mode?: EncryptionMode;

  /** The cryptographic suite; there is one. Default `'sm2-sm4-gcm-v1'`. */
  readonly suite?: 'sm2-sm4-gcm-v1';

  /** The protocol version; there is one. Default `1`. */
  readonly version?: 1;

  /** Identifier of `privateKey`, `kid` on the wire: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. Needed with `privateKey`. */
  readonly keyId?: string;

  /**
   * The SM2 private key: 64 hexadecimal characters of 32 random bytes (`openssl rand -hex 32`). Short, weak and published
   * keys are refused. Needed unless the mode is OFF or there is a `keyProvider`. Requirement ENV-3.
   */
  readonly privateKey?: string;

  /** Earlier keys that are still accepted, each by its id. Default: none. Requirement ENV-1. */
  readonly previousKeys?: readonly PrivateKeySource[];

  /** A key-management service that unwraps base keys and keeps the private key to itself. Default: none. Requirement ENV-3. */
  readonly keyProvider?: KeyProvider;

  /**
   * Routes in the clear, in addition to {@link DEFAULT_BYPASS_ROUTES}: `PATH` or `PATH METHOD` each, the path as the route
   * was registered. Wildcards, parameters and entries that no route answers to are refused. Default: none. A route with
   * parameters is exempted by its own `config.bypassEnvelope`.
   */
  readonly bypassRoutes?: readonly string[];

  /** How far a client's clock may be off, in seconds, 1 to 86400; the edge is inside. Default 300. */
  readonly timestampWindowSeconds?: number;

  /**
   * The most plaintext bytes of a body envelope, 1 to 16777216; a query envelope may have as many, and at most 4096.
   * The route's `bodyLimit` holds too. Default 65536.
   */
  readonly maxPayloadBytes?: number;

  /**
   * Which implementation of the cryptography serves. `kernel`: the constant-time WebAssembly kernel; where it can't run, or
   * gives a wrong answer, the start is refused. `portable`: plain JavaScript, its SM2 in worker threads. `auto`: the kernel,
   * or else the portable one, and the log says why. Default `'auto'`. Requirement ENV-8.
   */
  readonly backend?: BackendChoice;

  /**
   * The most envelopes that may wait for a worker thread of the portable backend, 1 to 10000; one more is refused (503,
   * "try again in a second"). Default 256: about a second of work for one thread. With the kernel none waits, and a
   * `keyProvider` has bounds of its own. Requirement ORD-3.
   */
  readonly maxWaitingUnwraps?: number;

  /**
   * Whether the kernel gets a thread beside the event loop, which unwraps base keys while envelopes come thick and fast: one
   * process then serves more of them. Say false where there is a process for every core. Default: true where the process may
   * use more than one core. The portable backend has threads of its own. Requirement PRF-2.
   */
  readonly kernelThread?: boolean;

  /**
   * Parses the decrypted query string. Give the one that Fastify was given, if any (`routerOptions.querystringParser`).
   * Default: that of fast-querystring, as in Fastify. Requirement ENV-5.
   */
  readonly querystringParser?: (text: string) => Record<string, unknown>;

  /** The clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;
}

/** The defaults of {@link EnvelopeCryptoOptions}. */
export const ENVELOPE_CRYPTO_DEFAULTS = {
  mode: 'OFF',
  suite: SUITE_NAME,
  version: 1,
  previousKeys: [],
  bypassRoutes: [],
  timestampWindowSeconds: 300,
  maxPayloadBytes: 65_536,
  backend: 'auto',
  maxWaitingUnwraps: 256,
  kernelThread: hasCoreForThread(),
  querystringParser: parseQuerystring,
  now: Date.now,
} as const satisfies EnvelopeCryptoOptions;

/** A day: beyond it a timestamp says nothing, and a replay store would have to remember as long. */
const MAX_TIMESTAMP_WINDOW_SECONDS = 86_400;

/** 16 MiB: an envelope is opened in memory and in one go. */
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

/** More would wait for more than half a minute: no client is still there then. */
const MAX_WAITING_UNWRAPS = 10_000;

/** Options that were checked. */
export interface EnvelopeCryptoSettings {
  readonly mode: EncryptionMode;
  /** Null only in mode OFF. */
  readonly keys: ServerKeys | null;
  readonly defaultBypassRoutes: readonly BypassRoute[];
  readonly bypassRoutes: readonly BypassRoute[];
  readonly timestampWindowSeconds: number;
  readonly maxPayloadBytes: number;
  readonly backend: BackendChoice;
  readonly maxWaitingUnwraps: number;
  readonly kernelThread: boolean;
  readonly querystringParser: (text: string) => Record<string, unknown>;
  readonly now: () => number;
}

/** Checks the options and loads the keys. Throws one error that lists every fault, and never a secret. */
export function readOptions(options: EnvelopeCryptoOptions): EnvelopeCryptoSettings {
  const given = { ...ENVELOPE_CRYPTO_DEFAULTS, ...withoutUndefined(options) };
  const faults: string[] = [];
  const require = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };

  const { mode, timestampWindowSeconds, maxPayloadBytes, backend, querystringParser, now } = given;
  const { maxWaitingUnwraps, kernelThread } = given;
  require(['OFF', 'OPTIONAL', 'REQUIRED'].includes(mode), "mode must be 'OFF', 'OPTIONAL' or 'REQUIRED'");
  require(given.suite === SUITE_NAME, `suite must be '${SUITE_NAME}', the only one there is`);
  require(given.version === 1, 'version must be the number 1, the only one there is');
  require(isWhole(
    timestampWindowSeconds,
    MAX_TIMESTAMP_WINDOW_SECONDS,
  ), `timestampWindowSeconds must be a whole number of seconds from 1 to ${MAX_TIMESTAMP_WINDOW_SECONDS}`);
  require(isWhole(
    maxPayloadBytes,
    MAX_PAYLOAD_BYTES,
  ), `maxPayloadBytes must be a whole number of bytes from 1 to ${MAX_PAYLOAD_BYTES}`);
  require(['auto', 'kernel', 'portable'].includes(backend), "backend must be 'auto', 'kernel' or 'portable'");
  require(isWhole(
    maxWaitingUnwraps,
    MAX_WAITING_UNWRAPS,
  ), `maxWaitingUnwraps must be a whole number from 1 to ${MAX_WAITING_UNWRAPS}`);
  require(typeof kernelThread === 'boolean', 'kernelThread must be true or false');
  require(typeof querystringParser === 'function', 'querystringParser must be a function from a text to an object');
  require(typeof now === 'function', 'now must be a function that yields milliseconds');

  const bypass = readBypassOption(given.bypassRoutes);
  const loaded = loadKeys(options, mode);
  faults.push(...bypass.faults, ...loaded.faults);
  if (faults.length > 0) throw setupInvalid(faults);
  return {
    mode,
    keys: loaded.keys,
    defaultBypassRoutes: readBypassRoutes(DEFAULT_BYPASS_ROUTES).routes,
    bypassRoutes: bypass.routes,
    timestampWindowSeconds,
    maxPayloadBytes,
    backend,
    maxWaitingUnwraps,
    kernelThread,
    querystringParser,
    now,
  };
}

/** The one error of a bad set-up. */
export function setupInvalid(faults: readonly string[]): EnvelopeSetupInvalidError {
  const lines = faults.map((fault) => `- ${fault}`).join('\n');
  return new EnvelopeSetupInvalidError(`@sallyport/envelope-crypto:\n${lines}`);
}

function loadKeys(
  { keyId, privateKey, previousKeys, keyProvider }: EnvelopeCryptoOptions,
  mode: EncryptionMode,
): { keys: ServerKeys | null; faults: readonly string[] } {
  const faults: string[] = [];
  if (keyId !== undefined && privateKey === undefined && keyProvider !== undefined) {
    faults.push('keyId belongs to privateKey; the keyProvider brings its own, so leave keyId out');
  }
  if (previousKeys !== undefined && !(Array.isArray(previousKeys) && previousKeys.every(isObject))) {
    return { keys: null, faults: [...faults, 'previousKeys must be a list of { keyId, privateKey }'] };
  }
  if (keyProvider !== undefined && !isObject(keyProvider)) {
    return { keys: null, faults: [...faults, 'keyProvider must be an object with keyId, publicKey and unwrap'] };
  }
  if (privateKey === undefined && keyProvider === undefined) {
    const make = 'make a key with: openssl rand -hex 32';
    if (mode !== 'OFF') faults.push(`privateKey and keyId, or keyProvider, are needed in mode ${mode} (${make})`);
    else if (previousKeys?.length) faults.push('previousKeys need a current key beside them: privateKey and keyId');
    return { keys: null, faults };
  }
  try {
    const current = privateKey === undefined ? {} : { current: { keyId: keyId ?? '', privateKey } };
    const provider = keyProvider === undefined ? {} : { provider: keyProvider };
    const previous = previousKeys ?? [];
    return { keys: createServerKeys({ ...current, ...provider, previous }), faults };
  } catch (error) {
    const named = error instanceof TypeError ? keyFaults(error.message) : [];
    if (named.length === 0) throw error;
    return { keys: null, faults: [...faults, ...named] };
  }
}

/** The faults of the keys, under the names that the options have here. */
function keyFaults(message: string): string[] {
  const [, ...lines] = message.split('\n- ');
  return lines.map((line) =>
    line
      .replace(/^current\./, '')
      .replace(/^previous\[/, 'previousKeys[')
      .replace(/^provider\./, 'keyProvider.'),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function readBypassOption(entries: unknown): ReturnType<typeof readBypassRoutes> {
  if (Array.isArray(entries)) return readBypassRoutes(entries);
  return { routes: [], faults: ['bypassRoutes must be a list of PATH or PATH METHOD'] };
}

function isWhole(value: unknown, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;
}

/** An option given as undefined is one that wasn't given: configuration objects are often built that way. */
function withoutUndefined(options: EnvelopeCryptoOptions): EnvelopeCryptoOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
