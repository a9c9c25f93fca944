import { DEFAULT_BYPASS_ROUTES } from '../wire/default-bypass-routes.js';
import type { KernelSource } from './client-backend.js';
import type { ConfirmClock } from './service-clock.js';

/** Options of {@link createEnvelopeClient}. */
export interface EnvelopeClientOptions {
  /**
   * Where the service's `/` is. A path in it is one that a proxy takes off before the service sees the request, so it is
   * not bound into envelopes. Required.
   */
  readonly baseUrl: string | URL;

  /** What sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;

  /** This device's clock, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: () => number;

  /**
   * Asked before the service's time is believed where it is more than a day ahead of this device. Default: it isn't believed.
   */
  readonly confirmClock?: ConfirmClock;

  /**
   * Paths that the service exempts, beside the default ones: `PATH` or `PATH METHOD` each, where a segment `:name` stands
   * for any one. Sent in the clear. Default: none.
   */
  readonly bypass?: readonly string[];

  /** Where the service describes its encryption. Default `/encryption/public-key`. */
  readonly bootstrapPath?: string;

  /**
   * `kernel` of `@sallyport/envelope-crypto/client/kernel`: the constant-time WebAssembly implementation, where it runs (a
   * page's policy has to allow `'wasm-unsafe-eval'`). Default: none, the portable implementation. Requirement ENV-8.
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

/** Options that were checked. */
export interface EnvelopeClientSettings {
  readonly base: URL;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly confirmClock: ConfirmClock;
  readonly bootstrapPath: string;
  readonly kernel: KernelSource | null;
  isBypassed(method: string, path: string): boolean;
}

/** Checks the options; throws a `TypeError` that lists every fault. */
export function readClientOptions(options: EnvelopeClientOptions): EnvelopeClientSettings {
  const { now, confirmClock, bypass, bootstrapPath } = { ...ENVELOPE_CLIENT_DEFAULTS, ...options };
  const faults: string[] = [];
  const base = parseUrl(options.baseUrl);
  if (base === null || !/^https?:$/.test(base.protocol) || base.search !== '' || base.hash !== '') {
    faults.push('baseUrl must be an http or https URL without query and fragment');
  }
  for (const [name, value] of Object.entries({ now, confirmClock, fetch: options.fetch ?? globalThis.fetch })) {
    if (typeof value !== 'function') faults.push(`${name} must be a function`);
  }
  const entries = Array.isArray(bypass) ? bypass : [];
  if (!Array.isArray(bypass) || !entries.every(isEntry)) faults.push('bypass must be a list of PATH or PATH METHOD');
  if (typeof bootstrapPath !== 'string' || !bootstrapPath.startsWith('/')) {
    faults.push('bootstrapPath must be a path that begins with "/"');
  }
  const { kernel = null } = options;
  if (kernel !== null && typeof kernel !== 'function') {
    faults.push("kernel must be the one of '@sallyport/envelope-crypto/client/kernel'");
  }
  if (faults.length > 0) throw new TypeError(`createEnvelopeClient: ${faults.join('; ')}`);

  const exempt = [...DEFAULT_BYPASS_ROUTES, `${bootstrapPath} GET`, ...entries].map(readEntry);
  return {
    base: base!,
    // Called as a function of its own: a browser's fetch refuses any other `this`.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    now,
    confirmClock,
    bootstrapPath,
    kernel,
    isBypassed: (method, path) => exempt.some((entry) => entry.covers(method, path.split('/'))),
  };
}

function parseUrl(text: string | URL): URL | null {
  try {
    return new URL(text);
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
