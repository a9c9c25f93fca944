import { callback, option, optional, readOptions } from '@sallyport/options';
import { DEFAULT_BYPASS_ROUTES } from '../wire/index.js';
import type { KernelSource } from './client-backend.js';
import { EnvelopeClientSetupError } from './errors.js';
import type { ConfirmClock } from './service-clock.js';

/** Options of {@link createEnvelopeClient}. */
export interface EnvelopeClientOptions {
  /**
   * The URL of the service's `/`. If it has a path, a proxy must remove that path before the service sees the request:
   * it is not bound into envelopes. Required.
   */
  readonly baseUrl: string | URL;

  /** Sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;

  /** This device's clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;

  /** Asked before the client believes a service time more than a day ahead of this device. Default: it does not. */
  readonly confirmClock?: ConfirmClock;

  /**
   * Paths that the service exempts, beside the default ones: `PATH` or `PATH METHOD` each, where a segment `:name`
   * matches any segment. They are sent as plaintext. Default: none.
   */
  readonly bypass?: readonly string[];

  /** The path of the service's bootstrap. Default `/encryption/public-key`. */
  readonly bootstrapPath?: string;

  /**
   * `kernel` of `@sallyport/envelope-crypto/client/kernel`: the constant-time WebAssembly implementation, where it runs
   * (a page's policy must allow `'wasm-unsafe-eval'`). Default: the portable implementation. Requirement ENV-8.
   */
  readonly kernel?: KernelSource;
}

/** The defaults of {@link EnvelopeClientOptions}. */
export const ENVELOPE_CLIENT_DEFAULTS = {
  now: Date.now,
  confirmClock: () => false,
  bypass: [],
  bootstrapPath: '/encryption/public-key',
} as const satisfies Partial<EnvelopeClientOptions>;

/** Validated options. */
export interface EnvelopeClientSettings {
  readonly base: URL;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly confirmClock: ConfirmClock;
  readonly bootstrapPath: string;
  readonly kernel: KernelSource | null;
  isBypassed(method: string, path: string): boolean;
}

/** What each option is read as. */
interface ReadOptions extends Omit<EnvelopeClientSettings, 'base' | 'fetch' | 'kernel' | 'isBypassed'> {
  readonly baseUrl: URL;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly bypass: readonly string[];
  readonly kernel: KernelSource | undefined;
}

const rules = {
  baseUrl: option<URL>({
    meaning: 'an http or https URL without query and fragment',
    accepts: isBaseUrl,
    read: (url: string | URL) => new URL(url),
  }),
  fetch: optional(callback<typeof globalThis.fetch>({ that: 'sends a request, such as the global fetch' })),
  now: callback<() => number>({
    that: 'returns milliseconds, such as Date.now',
    default: ENVELOPE_CLIENT_DEFAULTS.now,
  }),
  confirmClock: callback<ConfirmClock>({
    that: 'takes milliseconds and returns true or false',
    default: ENVELOPE_CLIENT_DEFAULTS.confirmClock,
  }),
  bypass: option<readonly string[]>({
    meaning: 'a list of PATH or PATH METHOD',
    accepts: (entries) => Array.isArray(entries) && entries.every(isEntry),
    default: ENVELOPE_CLIENT_DEFAULTS.bypass,
  }),
  bootstrapPath: option<string>({
    meaning: 'a path that begins with "/"',
    accepts: (path) => typeof path === 'string' && path.startsWith('/'),
    default: ENVELOPE_CLIENT_DEFAULTS.bootstrapPath,
  }),
  kernel: optional(
    option<KernelSource>({
      meaning: "the kernel of '@sallyport/envelope-crypto/client/kernel'",
      accepts: (kernel) => typeof kernel === 'function',
    }),
  ),
};

/** @throws EnvelopeClientSetupError with every fault */
export function readClientOptions(given: EnvelopeClientOptions): EnvelopeClientSettings {
  const { baseUrl, fetch, bypass, kernel, ...settings } = readOptions<ReadOptions>(
    { subject: 'createEnvelopeClient', SetupError: EnvelopeClientSetupError },
    given,
    rules,
    (options) => {
      const lacksFetch = 'fetch' in options && options.fetch === undefined && typeof globalThis.fetch !== 'function';
      return lacksFetch ? ['fetch is required: there is no global fetch here'] : [];
    },
  );
  const exempt = [...DEFAULT_BYPASS_ROUTES, `${settings.bootstrapPath} GET`, ...bypass].map(readEntry);
  return {
    ...settings,
    base: baseUrl,
    // A browser's fetch refuses to be called as a method of another object.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    kernel: kernel ?? null,
    isBypassed: (method, path) => exempt.some((entry) => entry.covers(method, path.split('/'))),
  };
}

function isBaseUrl(value: unknown): boolean {
  const url = parseUrl(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
}

function parseUrl(value: unknown): URL | null {
  try {
    return new URL(value as string);
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
