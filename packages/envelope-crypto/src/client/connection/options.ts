import {
  callback,
  flag,
  listOf,
  type OptionRule,
  type OptionRules,
  option,
  optional,
  readOptions,
} from '@sallyport/plugin-kit/options';
import {
  DEFAULT_BYPASS_ROUTES,
  decodeUtf8,
  encodeUtf8,
  type TextDecoding,
  type TextEncoding,
} from '../../wire/index.js';
import { EnvelopeClientSetupError } from '../errors.js';
import { isPublicKey } from './bootstrap.js';
import { type KernelSource, runWhenIdle, type WhenIdle } from './client-backend.js';
import type { RandomSource } from './random-source.js';
import type { ParseUrl, ServiceUrl } from './service-url.js';

/** The options of every client, for any transport. */
export interface ConnectionOptions {
  /**
   * The URL of the service's `/`. If it has a path, a proxy must remove that path before the service sees the request:
   * it is not bound into envelopes. Required.
   */
  readonly baseUrl: string | URL;

  /**
   * Whether every request has to be sealed, from the first one on. A service that reports its encryption as `OFF` is
   * then refused (`ENCRYPTION_DOWNGRADE`). Without this option, it is refused only after a client of this process has
   * sealed a request to this `baseUrl`. A reloaded page or a restarted app starts again without that knowledge. Default
   * false; true if `trustedKeys` is given.
   */
  readonly requireEncryption?: boolean;

  /**
   * The public keys that the service may have: 130 lower-case hexadecimal characters each, `04`, x, y, as the
   * bootstrap gives them. List the next key before the service changes to it. Another key is refused
   * (`SERVER_KEY_UNTRUSTED`). Default: any key.
   */
  readonly trustedKeys?: readonly string[];

  /**
   * Paths that the service exempts, in addition to the default ones: `PATH` or `PATH METHOD` each, where a segment
   * `:name` matches any segment. They are sent as plaintext. The service's own list of exempt paths is not used.
   * Default: none.
   */
  readonly bypass?: readonly string[];

  /** The path of the service's bootstrap. Default `/encryption/public-key`. */
  readonly bootstrapPath?: string;

  /** This device's clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;

  /**
   * `kernel` of `@sallyport/envelope-crypto/client/kernel`: the constant-time WebAssembly implementation. It is used if
   * it runs (a page's policy must allow `'wasm-unsafe-eval'`). Default: the portable implementation.
   */
  readonly kernel?: KernelSource;

  /**
   * Returns that many bytes of a cryptographically secure generator, at once or as a promise. Each byte is used once.
   * Default: the global `crypto.getRandomValues`.
   */
  readonly random?: RandomSource;

  /** Returns the UTF-8 bytes of a text. Default: the global `TextEncoder`. */
  readonly encodeText?: TextEncoding;

  /**
   * Returns the text of UTF-8 bytes. It must throw for bytes that are not UTF-8, and keep a byte order mark. Default:
   * the global `TextDecoder`.
   */
  readonly decodeText?: TextDecoding;

  /** Parses absolute URLs. Default: the global class `URL`. */
  readonly parseUrl?: ParseUrl;

  /**
   * Runs optional work when nothing else waits: building the tables that make the first request fast. Default: the
   * global `requestIdleCallback` or `setTimeout`. If there is neither, the first request does the work.
   */
  readonly whenIdle?: WhenIdle;
}

/** The defaults of the options of every client. */
export const CONNECTION_DEFAULTS = {
  bypass: [],
  bootstrapPath: '/encryption/public-key',
  now: Date.now,
  encodeText: encodeUtf8,
  decodeText: decodeUtf8,
  parseUrl: (text: string): ServiceUrl => new URL(text),
  whenIdle: runWhenIdle,
} as const satisfies Partial<ConnectionOptions>;

/** Validated options. */
export interface ConnectionSettings {
  readonly base: ServiceUrl;
  readonly requireEncryption: boolean;
  /** Null for any. */
  readonly trustedKeys: readonly string[] | null;
  readonly bootstrapPath: string;
  readonly now: () => number;
  readonly kernel: KernelSource | undefined;
  /** Undefined for the global one. */
  readonly random: RandomSource | undefined;
  readonly encodeText: TextEncoding;
  readonly decodeText: TextDecoding;
  readonly parseUrl: ParseUrl;
  readonly whenIdle: WhenIdle;
  isBypassed(method: string, path: string): boolean;
}

/** The rules of the options. */
interface ReadOptions extends Omit<ConnectionSettings, 'base' | 'isBypassed' | 'requireEncryption' | 'trustedKeys'> {
  readonly baseUrl: string;
  readonly requireEncryption: boolean | undefined;
  readonly trustedKeys: readonly string[] | undefined;
  readonly bypass: readonly string[];
}

const BASE_URL = 'an http or https URL without user, query and fragment';

const baseUrl = option<string>({
  meaning: BASE_URL,
  accepts: (url) => /^https?:\/\/[^?#@/\\]+(\/[^?#]*)?$/i.test(String(url)),
  read: String,
});

const rules: OptionRules<Omit<ReadOptions, 'baseUrl'>> = {
  now: withDefault('returns milliseconds, such as Date.now', CONNECTION_DEFAULTS.now),
  bypass: option<readonly string[]>({
    meaning: 'a list of PATH or PATH METHOD',
    accepts: (entries) => Array.isArray(entries) && entries.every(isEntry),
    default: CONNECTION_DEFAULTS.bypass,
  }),
  bootstrapPath: option<string>({
    meaning: 'a path such as "/encryption/public-key"',
    accepts: (path) => typeof path === 'string' && /^(\/[^\s/\\?#*:][^\s/\\?#*]*)+$/.test(path),
    default: CONNECTION_DEFAULTS.bootstrapPath,
  }),
  kernel: optional(
    option<KernelSource>({
      meaning: "the kernel of '@sallyport/envelope-crypto/client/kernel'",
      accepts: (kernel) => typeof kernel === 'function',
    }),
  ),
  requireEncryption: optional(flag()),
  trustedKeys: optional(
    listOf<string>(isPublicKey, { minItems: 1, meaning: 'a list of public keys, each 130 lower-case hex digits' }),
  ),
  random: optional(callback<RandomSource>({ that: 'gives random bytes' })),
  encodeText: withDefault('gives the UTF-8 bytes of a text', CONNECTION_DEFAULTS.encodeText),
  decodeText: withDefault('gives the text of UTF-8 bytes', CONNECTION_DEFAULTS.decodeText),
  parseUrl: withDefault('parses a URL', CONNECTION_DEFAULTS.parseUrl),
  whenIdle: withDefault('runs a function later', CONNECTION_DEFAULTS.whenIdle),
};

/** The global that an option replaces. */
const GLOBALS: Readonly<Record<string, string>> = {
  random: 'crypto',
  encodeText: 'TextEncoder',
  decodeText: 'TextDecoder',
  parseUrl: 'URL',
};

/**
 * Reads the options of a client.
 *
 * @param subject the function that was called
 * @param own the rules of options that only this client has
 * @param ownGlobals the global that is the default of each of these
 * @throws EnvelopeClientSetupError with every fault
 */
export function readClientOptions<Own extends object>(
  subject: string,
  given: object,
  own: OptionRules<Own>,
  ownGlobals: Readonly<Record<string, string>> = {},
): { readonly settings: ConnectionSettings; readonly own: Own } {
  let base: ServiceUrl | null = null;
  const options = readOptions<ReadOptions & Own>(
    { subject, SetupError: EnvelopeClientSetupError },
    given,
    { baseUrl, ...own, ...rules } as OptionRules<ReadOptions & Own>,
    (options) => {
      const missing = Object.entries({ ...GLOBALS, ...ownGlobals })
        .filter(
          ([name, global]) =>
            Reflect.get(Object(given), name) === undefined && Reflect.get(globalThis, global) === undefined,
        )
        .map(([name, global]) => `${name} is required: there is no global ${global} here`);
      const { baseUrl, parseUrl } = options as Partial<ReadOptions>;
      if (missing.length > 0 || baseUrl === undefined || parseUrl === undefined) return missing;
      base = readBaseUrl(baseUrl, parseUrl);
      return base === null ? [`baseUrl must be ${BASE_URL}`] : [];
    },
  );
  const { requireEncryption, trustedKeys, bypass } = options;
  const exempt = [...DEFAULT_BYPASS_ROUTES, `${options.bootstrapPath} GET`, ...bypass].map(readEntry);
  return {
    settings: {
      ...options,
      base: base!,
      // A pinned key is worthless if an attacker can claim that the service has no encryption.
      requireEncryption: requireEncryption ?? trustedKeys !== undefined,
      trustedKeys: trustedKeys ?? null,
      isBypassed: (method, path) => exempt.some((entry) => entry.covers(method, path.split('/'))),
    },
    own: options,
  };
}

function withDefault<Value>(that: string, value: Value): OptionRule<Value> {
  return callback<Value>({ that, default: value });
}

function readBaseUrl(text: string, parseUrl: ParseUrl): ServiceUrl | null {
  try {
    return parseUrl(text);
  } catch {
    return null;
  }
}

function isEntry(entry: unknown): boolean {
  return typeof entry === 'string' && /^\/[^\s*?#]*(?: [A-Za-z]+)?$/.test(entry);
}

function readEntry(entry: string): { covers(method: string, segments: readonly string[]): boolean } {
  const [path = '', only] = entry.split(' ');
  const expected = path.split('/');
  return {
    covers(method, segments) {
      const isMethod = only === undefined || only.toUpperCase() === method;
      return (
        isMethod && segments.length === expected.length && expected.every((part, i) => isSegment(part, segments[i]!))
      );
    },
  };
}

function isSegment(expected: string, segment: string): boolean {
  return expected.startsWith(':') ? segment !== '' : expected === segment;
}
