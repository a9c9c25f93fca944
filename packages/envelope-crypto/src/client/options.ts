import { callback, optional } from '@sallyport/plugin-kit/options';
import {
  CONNECTION_DEFAULTS,
  type ConnectionOptions,
  type ConnectionSettings,
  readClientOptions,
} from './connection/index.js';
import { type CreateResponse, createNativeResponse } from './opened-response.js';

/** Options of {@link createEnvelopeClient}. */
export interface EnvelopeClientOptions extends ConnectionOptions {
  /**
   * Sends requests. It gets a URL as text, and headers as an object. Its responses need `status`, `headers.get`,
   * `headers.forEach`, `clone` and `arrayBuffer`. It must not follow redirects if `redirect` is `manual`. Default: the
   * global `fetch`.
   */
  readonly fetch?: typeof globalThis.fetch;

  /** Makes the response that the application gets from an opened answer. Default: the global class `Response`. */
  readonly createResponse?: CreateResponse;
}

/** The defaults of {@link EnvelopeClientOptions}. */
export const ENVELOPE_CLIENT_DEFAULTS = {
  ...CONNECTION_DEFAULTS,
  createResponse: createNativeResponse,
} as const satisfies Partial<EnvelopeClientOptions>;

/** The validated options. */
interface FetchSettings {
  readonly connection: ConnectionSettings;
  readonly fetch: typeof globalThis.fetch;
  readonly createResponse: CreateResponse;
}

const rules = {
  fetch: optional(callback<typeof globalThis.fetch>({ that: 'sends a request, such as the global fetch' })),
  createResponse: callback<CreateResponse>({
    that: 'makes a response',
    default: ENVELOPE_CLIENT_DEFAULTS.createResponse,
  }),
};

/** @throws EnvelopeClientSetupError with every fault */
export function readEnvelopeClientOptions(given: EnvelopeClientOptions): FetchSettings {
  const globals = { fetch: 'fetch', createResponse: 'Response' };
  const { settings, own } = readClientOptions('createEnvelopeClient', given, rules, globals);
  return {
    connection: settings,
    // A browser's fetch throws if it is called as a method of another object.
    fetch: own.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    createResponse: own.createResponse,
  };
}
