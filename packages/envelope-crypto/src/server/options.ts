import { callback, flag, oneOf, option, optional, readOptions, wholeNumber } from '@sallyport/plugin-kit/options';
import { earlierRoutesRule, type PluginScope, scopeRule } from '@sallyport/plugin-kit/routes';
import { parse as parseQuerystring } from 'fast-querystring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EnvelopeSetupError } from '../errors.js';
import { type KeyProvider, keyRules, loadServerKeys, type PrivateKeySource, type ServerKeys } from '../keys/index.js';
import { type CheckedKeySource, type KeySource, keySourceRule } from '../rotation/index.js';
import { hasCoreForThread } from '../unwrapping/index.js';
import { DEFAULT_BYPASS_ROUTES, type EncryptionMode, SUITE_NAME } from '../wire/index.js';
import type { BackendChoice } from './backend.js';
import { type BypassRoute, readBypassRoutes } from './bypass-routes.js';

/**
 * Options of the plugin: those of the interface document, "Encryption configuration", and further ones for programs.
 */
export interface EnvelopeCryptoOptions {
  /**
   * `OFF`: envelopes are ignored. `OPTIONAL`: plaintext and encrypted requests are served. `REQUIRED`: every endpoint
   * that is not exempt needs an envelope. Default `'OFF'`; with a key the mode is required.
   */
  readonly mode?: EncryptionMode;

  /** The cryptographic suite. There is only one. Default `'sm2-sm4-gcm-v1'`. */
  readonly suite?: 'sm2-sm4-gcm-v1';

  /** The protocol version. There is only one. Default `1`. */
  readonly version?: 1;

  /**
   * Identifier of `privateKey`, `kid` on the wire: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. Needed with `privateKey`.
   */
  readonly keyId?: string;

  /**
   * The SM2 private key: 64 hexadecimal characters of 32 random bytes (`openssl rand -hex 32`). Short, weak and
   * published keys are refused. Needed unless the mode is OFF or `keyProvider` is given.
   */
  readonly privateKey?: string;

  /** Earlier keys that are still accepted, each by its id. Default: none. */
  readonly previousKeys?: readonly PrivateKeySource[];

  /**
   * A key-management service that unwraps base keys and keeps the private key. If `privateKey` is also given, the
   * provider's key is an earlier one. Default: none.
   */
  readonly keyProvider?: KeyProvider;

  /**
   * Yields the keys, in place of `keyId`, `privateKey`, `previousKeys` and `keyProvider`, and replaces them while the
   * service runs. In mode OFF it is not called. Default: none.
   */
  readonly keySource?: KeySource;

  /**
   * Plaintext routes in addition to {@link DEFAULT_BYPASS_ROUTES}, each `PATH` or `PATH METHOD`, with the path as
   * registered. Wildcards, parameters and entries that match no route are refused. Default: none. To exempt a route
   * with parameters, set its `config.bypassEnvelope`.
   */
  readonly bypassRoutes?: readonly string[];

  /** Maximum difference of a client's clock, in seconds, 1 to 86400, inclusive. Default 300. */
  readonly timestampWindowSeconds?: number;

  /**
   * Maximum plaintext bytes of a body envelope, 1 to 16777216. A query envelope may have as many, up to 4096. The
   * route's `bodyLimit` applies too. Default 65536.
   */
  readonly maxPayloadBytes?: number;

  /**
   * The implementation of the cryptography. `kernel`: the constant-time WebAssembly kernel; the start is refused if it
   * can't run or gives a wrong answer. `portable`: plain JavaScript, with SM2 in worker threads. `auto`: the kernel, or
   * else the portable one, with the reason in the log. Default `'auto'`.
   */
  readonly backend?: BackendChoice;

  /**
   * Maximum number of envelopes that wait for a worker thread of the portable backend, 1 to 10000. Another one is
   * refused (503, "try again in a second"). Default 256, which is about a second of work for one thread. With the
   * kernel none waits, and a `keyProvider` has its own bounds.
   */
  readonly maxWaitingUnwraps?: number;

  /**
   * Whether a busy service starts a kernel thread that unwraps base keys in addition to the event loop, for more
   * throughput of one process. Use false if every core has a process. Default: true if the process may use more than
   * one core. The portable backend has its own threads.
   */
  readonly kernelThread?: boolean;

  /**
   * Parses the decrypted query string. If Fastify was given a parser (`routerOptions.querystringParser`), give the same
   * one. Default: fast-querystring, as in Fastify.
   */
  readonly querystringParser?: (text: string) => Record<string, unknown>;

  /**
   * Decides when a query envelope is opened. Query envelopes are opened before rate limits run, so this option can
   * bound the number that one client makes the service open. Call `open` when it is the request's turn, or reject to
   * refuse the request. `open` rejects with the package's errors; `EnvelopeRejectedError` is that of an envelope that
   * does not open. A rejection of this function refuses the request, even if the envelope opens. Default: at once.
   */
  readonly scheduleQueryOpening?: (
    request: FastifyRequest,
    reply: FastifyReply,
    open: () => Promise<void>,
  ) => Promise<void>;

  /**
   * The scope of routes that accept envelopes: the whole application (`app`), or the scope in which the plugin is
   * registered (`encapsulated`). Default `app`.
   */
  readonly scope?: PluginScope;

  /**
   * Whether routes may be registered before the plugin. An envelope can't be opened for them: list them in
   * `bypassRoutes`, or their requests are refused. Default false: they stop the start.
   */
  readonly allowEarlierRoutes?: boolean;

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
  scheduleQueryOpening: (_request: FastifyRequest, _reply: FastifyReply, open: () => Promise<void>) => open(),
  scope: 'app',
  allowEarlierRoutes: false,
  now: Date.now,
} as const satisfies EnvelopeCryptoOptions;

/**
 * A day. A wider window would not limit replays in practice, and a replay store would have to remember nonces for that
 * time.
 */
const MAX_TIMESTAMP_WINDOW_SECONDS = 86_400;

/** 16 MiB, because an envelope is opened in memory and in one piece. */
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;

/** The last of 10 000 waits for more than half a minute, which is longer than any client waits. */
const MAX_WAITING_UNWRAPS = 10_000;

/** Validated options. */
export interface EnvelopeCryptoSettings {
  readonly mode: EncryptionMode;
  /** Null in mode OFF without a key, and if a source yields the keys. */
  readonly keys: ServerKeys | null;
  readonly keySource: CheckedKeySource | undefined;
  readonly defaultBypassRoutes: readonly BypassRoute[];
  readonly bypassRoutes: readonly BypassRoute[];
  readonly timestampWindowSeconds: number;
  readonly maxPayloadBytes: number;
  readonly backend: BackendChoice;
  readonly maxWaitingUnwraps: number;
  readonly kernelThread: boolean;
  readonly querystringParser: (text: string) => Record<string, unknown>;
  readonly scheduleQueryOpening: NonNullable<EnvelopeCryptoOptions['scheduleQueryOpening']>;
  readonly scope: PluginScope;
  readonly allowEarlierRoutes: boolean;
  readonly now: () => number;
}

/** The rules of the options. */
interface ReadOptions extends Omit<EnvelopeCryptoSettings, 'keys' | 'defaultBypassRoutes'> {
  readonly suite: typeof SUITE_NAME;
  readonly version: 1;
  readonly keyId: string | undefined;
  readonly privateKey: string | undefined;
  readonly previousKeys: readonly PrivateKeySource[];
  readonly keyProvider: KeyProvider | undefined;
}

const defaults = ENVELOPE_CRYPTO_DEFAULTS;

const rules = {
  mode: oneOf<EncryptionMode>(['OFF', 'OPTIONAL', 'REQUIRED'], { default: defaults.mode }),
  suite: oneOf([SUITE_NAME], { default: SUITE_NAME }),
  version: option<1>({ meaning: 'the number 1', accepts: (value) => value === 1, default: 1 }),
  ...keyRules,
  keySource: optional(keySourceRule),
  bypassRoutes: option<readonly BypassRoute[]>({
    meaning: 'a list of PATH or PATH METHOD',
    accepts: Array.isArray,
    faults: (entries: readonly unknown[], name) => readBypassRoutes(entries, name).faults,
    read: (entries: readonly unknown[]) => readBypassRoutes(entries).routes,
    default: [],
  }),
  timestampWindowSeconds: wholeNumber({
    min: 1,
    max: MAX_TIMESTAMP_WINDOW_SECONDS,
    unit: 'seconds',
    default: defaults.timestampWindowSeconds,
  }),
  maxPayloadBytes: wholeNumber({ min: 1, max: MAX_PAYLOAD_BYTES, unit: 'bytes', default: defaults.maxPayloadBytes }),
  backend: oneOf<BackendChoice>(['auto', 'kernel', 'portable'], { default: defaults.backend }),
  maxWaitingUnwraps: wholeNumber({
    min: 1,
    max: MAX_WAITING_UNWRAPS,
    unit: 'envelopes',
    default: defaults.maxWaitingUnwraps,
  }),
  kernelThread: flag({ default: defaults.kernelThread }),
  querystringParser: callback<(text: string) => Record<string, unknown>>({
    that: 'takes a text and returns an object',
    default: defaults.querystringParser,
  }),
  scheduleQueryOpening: callback<NonNullable<EnvelopeCryptoOptions['scheduleQueryOpening']>>({
    that: 'takes a request, its reply and a function that opens the envelope, and returns a promise',
    default: defaults.scheduleQueryOpening,
  }),
  scope: scopeRule,
  allowEarlierRoutes: earlierRoutesRule,
  now: callback<() => number>({ that: 'returns milliseconds, such as Date.now', default: defaults.now }),
};

/**
 * Validates the options and loads the keys.
 *
 * @throws EnvelopeSetupError with every fault, and no secret
 */
export function readEnvelopeCryptoOptions(given: EnvelopeCryptoOptions): EnvelopeCryptoSettings {
  let keys: ServerKeys | null = null;
  const { suite, version, keyId, privateKey, previousKeys, keyProvider, ...settings } = readOptions<ReadOptions>(
    { subject: 'envelope-crypto', SetupError: EnvelopeSetupError, isPlugin: true },
    given,
    rules,
    (options) => {
      const modeFaults = missingModeFaults(given, options);
      if (options.keySource !== undefined) return [...modeFaults, ...sourceAndKeyFaults(options)];
      const missing = missingKeyFaults(options);
      if (missing !== null) return [...modeFaults, ...missing];
      const reading = loadServerKeys(options);
      if (reading.kind === 'refused') {
        // A keyId with a fault of its own is absent here, and already reported.
        return [...modeFaults, ...reading.faults.filter((it) => 'keyId' in options || !/^keyId/.test(it))];
      }
      keys = reading.keys;
      return modeFaults;
    },
  );
  return { ...settings, keys, defaultBypassRoutes: readBypassRoutes(DEFAULT_BYPASS_ROUTES).routes };
}

/** A key is given to be used. If the mode came from an unset variable, it would silently be OFF. Requirement ENV-2. */
function missingModeFaults(given: EnvelopeCryptoOptions, options: Partial<ReadOptions>): readonly string[] {
  if (given?.mode !== undefined) return [];
  const { privateKey, keyProvider, keySource, previousKeys = [] } = options;
  const keys = { privateKey, keyProvider, keySource, previousKeys: previousKeys.length > 0 ? previousKeys : undefined };
  const names = Object.entries(keys).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return [];
  return [`mode is required with ${names.join(' and ')}: 'OPTIONAL' or 'REQUIRED', or 'OFF' to encrypt nothing`];
}

/** The source yields all keys, so that all of them change at the same time. */
function sourceAndKeyFaults({ keyId, privateKey, previousKeys = [], keyProvider }: Partial<ReadOptions>): string[] {
  const keys = { keyId, privateKey, keyProvider, previousKeys: previousKeys.length > 0 ? previousKeys : undefined };
  const names = Object.entries(keys).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return names.map((name) => `${name} must be left out: the keySource yields every key`);
}

/** The faults of options without a current key. Null if there is one to load. */
function missingKeyFaults(options: Partial<ReadOptions>): readonly string[] | null {
  const { mode, keyId, privateKey, keyProvider, previousKeys = [] } = options;
  if (privateKey !== undefined || keyProvider !== undefined) return null;
  // An option with a fault of its own is absent here, and already reported.
  const isReported = ['keyProvider', 'privateKey', 'keySource'].some((name) => !(name in options));
  if (isReported || mode === undefined) return [];
  if (mode !== 'OFF') {
    const needed = keyId === undefined ? 'privateKey and keyId, keyProvider or keySource are' : 'privateKey is';
    return [`${needed} needed in mode ${mode} (make a key with: openssl rand -hex 32)`];
  }
  return previousKeys.length > 0 ? ['previousKeys need a current key as well: privateKey and keyId'] : [];
}
