import { callback } from '@sallyport/plugin-kit/options';
import axios, { type AxiosAdapter, type AxiosResponse, getAdapter, type InternalAxiosRequestConfig } from 'axios';
import {
  type ConnectionOptions,
  createConnection,
  type EnvelopeControls,
  readBody,
  readClientOptions,
  refuse,
  unsupportedContent,
} from '../connection/index.js';
import { EnvelopeClientError } from '../errors.js';
import { type AxiosAnswer, answerOf, openedResponse, settle } from './axios-answer.js';
import { createCancellation } from './cancellation.js';

/** Options of {@link createEnvelopeAdapter}. */
export interface EnvelopeAdapterOptions extends ConnectionOptions {
  /**
   * Sends the sealed requests. It must give the body as bytes if `responseType` is `arraybuffer`, and follow no
   * redirects if `maxRedirects` is 0. Default: `http` of axios in Node.js, and `fetch` of axios in a browser, because
   * `xhr` would follow redirects.
   */
  readonly adapter?: AxiosAdapter;
}

/** An adapter of axios for one service, with its state. */
export interface EnvelopeAdapter extends EnvelopeControls {
  /**
   * The adapter, for `axios.create({ adapter })`. Interceptors, `transformRequest` and `transformResponse` see
   * plaintext. Requests to other hosts and to exempt paths are sent unchanged. A sealed request may have the
   * `responseType` `json`, `text`, `arraybuffer` or `blob`.
   */
  readonly adapter: AxiosAdapter;
}

/** The response types that can be made from bytes after an answer was opened. */
const RESPONSE_TYPES: readonly (string | undefined)[] = [undefined, 'json', 'text', 'arraybuffer', 'blob'];

/**
 * Creates an adapter of axios that seals requests and opens answers.
 *
 * @example
 * ```ts
 * import { createEnvelopeAdapter } from '@sallyport/envelope-crypto/client/axios';
 * import axios from 'axios';
 *
 * const baseURL = 'http://127.0.0.1:3000';
 * const { adapter } = createEnvelopeAdapter({ baseUrl: baseURL, requireEncryption: true });
 * const api = axios.create({ baseURL, adapter });
 * const { data } = await api.post('/payments', { amount: '12.50' });
 * console.log(data);
 * ```
 *
 * @throws EnvelopeClientSetupError with every fault of the options
 */
export function createEnvelopeAdapter(options: EnvelopeAdapterOptions): EnvelopeAdapter {
  const { settings, own } = readClientOptions('createEnvelopeAdapter', options, {
    adapter: callback<AxiosAdapter>({ that: 'is an adapter of axios', default: sendByAxios }),
  });

  const { encodeText, decodeText } = settings;

  /** The transport settings of the latest request, such as agents and a proxy. The bootstrap uses them as well. */
  let transport: Partial<InternalAxiosRequestConfig> = {};

  /** Sends a request without following redirects, and with any status as an answer. Its body is received as bytes. */
  async function send(config: InternalAxiosRequestConfig): Promise<AxiosAnswer> {
    const fetchOptions = { ...config.fetchOptions, redirect: 'manual' };
    const answer = answerOf(await own.adapter({ ...config, ...AS_BYTES, fetchOptions }), encodeText);
    if (answer.isRedirected(config.url!)) refuse('a redirect was followed to get it');
    return answer;
  }

  const connection = createConnection(settings, (url, { method, headers: ownHeaders, body }) => {
    const headers = new axios.AxiosHeaders({ ...ownHeaders, 'cache-control': 'no-cache' });
    const fixed = { timeout: MAX_OWN_REQUEST_MILLIS, adapter: own.adapter };
    return send({ ...transport, ...fixed, url, method, headers, ...(body !== null && { data: body }) });
  });

  /** ENV-9: an instance that was given another host sends its paths, bodies and tokens there, in the clear. */
  function requireBaseOf({ baseURL, url }: InternalAxiosRequestConfig, origin: string): void {
    const isOfInstance = baseURL !== undefined && baseURL !== '' && !/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(url ?? '');
    if (!isOfInstance || origin === connection.locate('/').origin) return;
    throw new EnvelopeClientError(
      'REQUEST_UNSUPPORTED',
      'baseURL of the axios instance is at another host than baseUrl',
    );
  }

  async function adapt(config: InternalAxiosRequestConfig, signal: AbortSignal): Promise<AxiosResponse> {
    const method = (config.method ?? 'get').toUpperCase();
    const url = connection.locate(WITHOUT_DEFAULTS.getUri(config));
    requireBaseOf(config, url.origin);
    transport = transportOf(config);
    const route = await connection.routeOf(method, url, signal);
    if (route.kind === 'clear') {
      const plain = { ...at(url.href, config), validateStatus: null };
      const answer = await connection.sendClear(route, async () => answerOf(await own.adapter(plain), encodeText));
      return settle({ ...answer.response, config });
    }
    if (!RESPONSE_TYPES.includes(config.responseType)) throw unsupportedContent(`responseType ${config.responseType}`);
    const headers = new axios.AxiosHeaders(config.headers);
    const contentType = headers.get('content-type');
    const body = readBody(config.data, contentType ? String(contentType) : null, decodeText);
    if (body !== null && (method === 'GET' || method === 'HEAD')) throw unsupportedContent(`${method} with a body`);
    const headerOf = (name: string) => (headers.has(name) ? String(headers.get(name)) : null);
    const request = {
      ...{ method, url, body, signal },
      // axios writes Basic credentials over the header.
      authorization: config.auth === undefined ? headerOf('authorization') : null,
      idempotencyKey: headerOf('idempotency-key'),
    };
    const outcome = await connection.sendSealed(route, request, ({ url, body }) => {
      const sealed = new axios.AxiosHeaders(headers).set('api-encryption', 'v1');
      if (body === null) sealed.delete('content-type');
      else sealed.set('content-type', 'application/json');
      return send({ ...at(url, config), data: body, headers: sealed });
    });
    return settle(await openedResponse(outcome, config, decodeText));
  }

  return {
    bootstrap: connection.bootstrap,
    backend: connection.backend,
    resetEncryption: connection.resetEncryption,
    async adapter(config) {
      const cancellation = createCancellation(config);
      try {
        return await adapt(config, cancellation.signal);
      } catch (error) {
        // A retry of the application begins with the plaintext again, not with a used envelope.
        if (axios.isAxiosError(error)) error.config = config;
        throw error;
      } finally {
        cancellation.release();
      }
    },
  };
}

/** Options of axios for a request whose answer is to be opened. */
const AS_BYTES = {
  responseType: 'arraybuffer',
  maxRedirects: 0,
  validateStatus: null,
} as const;

/**
 * The limit of a bootstrap or a time, in milliseconds. Callers wait as long as their own `timeout` and `signal` say.
 */
const MAX_OWN_REQUEST_MILLIS = 10_000;

/** Writes the URL of a configuration. It has the defaults of its instance, not those of the global axios. */
const WITHOUT_DEFAULTS = /* @__PURE__ */ new axios.Axios({});

/** The members of a configuration that concern the transport and not the request. */
const TRANSPORT_MEMBERS = [
  ...(['httpAgent', 'httpsAgent', 'proxy', 'socketPath', 'lookup', 'family', 'insecureHTTPParser'] as const),
  ...(['transport', 'fetchOptions', 'env', 'withCredentials', 'httpVersion', 'http2Options'] as const),
  'allowedSocketPaths' as const,
];

function transportOf(config: InternalAxiosRequestConfig): Partial<InternalAxiosRequestConfig> {
  const members = TRANSPORT_MEMBERS.filter((name) => config[name] !== undefined);
  return Object.fromEntries(members.map((name) => [name, config[name]]));
}

/** The configuration for a whole URL. */
function at(url: string, { baseURL, params, ...config }: InternalAxiosRequestConfig): InternalAxiosRequestConfig {
  return { ...config, url };
}

/** axios chooses the first one that exists in the environment. */
const sendByAxios: AxiosAdapter = (config) => getAdapter(['http', 'fetch', 'xhr'])(config);
