import { objectWith } from '@sallyport/plugin-kit/options';
import { ENVELOPE_HEADER, ENVELOPE_VERSION, type TextDecoding } from '../../wire/index.js';
import {
  type Answer,
  type ConnectionOptions,
  createConnection,
  ENVELOPE_HEADERS,
  type EnvelopeControls,
  isSuccess,
  type Outcome,
  readBody,
  readClientOptions,
  requireNoJson,
  unsupportedContent,
} from '../connection/index.js';
import { ecmaScript } from '../ecmascript/index.js';
import { EnvelopeClientError } from '../errors.js';
import { requireManualRedirects } from './base-library.js';
import {
  callWechat,
  drawWechatRandom,
  type WechatApi,
  type WechatMethod,
  type WechatRequest,
  type WechatResponse,
} from './wechat-api.js';

/** Options of {@link createWechatClient}. */
export interface WechatClientOptions extends ConnectionOptions {
  /** The `wx` of the mini-program. Required: no global is read. */
  readonly wx: WechatApi;
}

/** A client of one service in a WeChat mini-program. */
export interface WechatClient extends EnvelopeControls {
  /**
   * Like `wx.request`, as a promise: requests to the service are sealed and its answers opened. A path that begins with
   * `/` belongs to the service. Requests to other hosts and to exempt paths are passed on unchanged.
   */
  request(options: WechatRequest): Promise<WechatResponse>;
}

interface WechatAnswer extends Answer {
  readonly response: WechatResponse;
}

/**
 * Creates a client for WeChat mini-programs, which have neither `fetch` nor `URL`. Random bytes come from
 * `wx.getRandomValues`, text coding and URLs from `ecmaScript` of `@sallyport/envelope-crypto/client/ecmascript`,
 * unless options say otherwise.
 *
 * @example
 * ```ts
 * export async function pay(wx: WechatApi, amount: string) {
 *   const client = createWechatClient({ wx, baseUrl: 'https://api.example.com', requireEncryption: true });
 *   const { statusCode } = await client.request({ url: '/payments', method: 'POST', data: { amount } });
 *   return statusCode === 200;
 * }
 * ```
 *
 * @throws EnvelopeClientSetupError with every fault of the options
 */
export function createWechatClient(options: WechatClientOptions): WechatClient {
  const { encodeText, decodeText, parseUrl } = ecmaScript;
  const random = (length: number) => drawWechatRandom(options.wx, length);
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  const { settings, own } = readClientOptions(
    'createWechatClient',
    { encodeText, decodeText, parseUrl, random, ...Object.fromEntries(given) },
    { wx: objectWith<WechatApi>({ methods: ['request'], meaning: 'the wx of a mini-program' }) },
  );
  const { wx } = own;
  requireManualRedirects(wx);

  /** Sends a request whose answer is received as bytes, without following redirects. */
  async function send(request: WechatRequest): Promise<WechatAnswer> {
    const asBytes = {
      dataType: 'text',
      responseType: 'arraybuffer',
      redirect: 'manual',
      enableChunked: false,
    } as const;
    return answerOf(await callWechat(wx, { ...request, ...asBytes }));
  }

  const connection = createConnection(settings, (url, { method, headers: header, body: data }) =>
    send({
      ...{ url, method, header, enableCache: false, timeout: MAX_OWN_REQUEST_MILLIS },
      ...(data === null ? {} : { data }),
    }),
  );

  return {
    bootstrap: connection.bootstrap,
    backend: connection.backend,
    resetEncryption: connection.resetEncryption,

    async request(request) {
      refuseCallbacks(request);
      if (typeof request.url !== 'string') throw new EnvelopeClientError('REQUEST_UNSUPPORTED', 'url must be a string');
      const method = (request.method ?? 'GET').toUpperCase() as WechatMethod;
      const isBodyless = method === 'GET' || method === 'HEAD';
      const headers = withLowerNames(request.header ?? {});
      const url = connection.locate(isBodyless ? withQuery(request.url, request.data) : request.url);
      const route = await connection.routeOf(method, url);
      if (route.kind === 'clear') {
        const { data, ...rest } = request;
        const passed = { ...rest, ...(isBodyless || data === undefined ? {} : { data }), url: url.href };
        const answer = await connection.sendClear(route, async () => answerOf(await callWechat(wx, passed)));
        return answer.response;
      }
      const { 'content-type': contentType = null, [ENVELOPE_HEADER]: _, ...others } = headers;
      const body = isBodyless ? null : readBody(textOrBytes(request.data), contentType, settings.decodeText);
      const sealable = {
        ...{ method, url, body },
        authorization: headers.authorization ?? null,
        idempotencyKey: headers['idempotency-key'] ?? null,
        // wx.request sets the content type of JSON for every request, even without a body.
        takesBody: !isBodyless,
      };
      const outcome = await connection.sendSealed(route, sealable, (message) => {
        const header = { ...others, 'content-type': 'application/json', [ENVELOPE_HEADER]: ENVELOPE_VERSION };
        const data = message.body === null ? {} : { data: message.body };
        const { data: plaintext, ...rest } = request;
        return send({ ...rest, ...data, url: message.url, method, header });
      });
      return responseOf(outcome, request, settings.decodeText);
    },
  };
}

function answerOf(response: WechatResponse): WechatAnswer {
  const headers = withLowerNames(response.header);
  return {
    response,
    status: response.statusCode,
    headers: { get: (name) => headers[name] ?? null },
    bytes: async () => bytesOf(response.data),
  };
}

/** The response that `wx.request` would have given for an answer in the clear. */
async function responseOf(
  { answer, opened }: Outcome<WechatAnswer>,
  { dataType = 'json', responseType }: WechatRequest,
  decodeText: TextDecoding,
): Promise<WechatResponse> {
  const { response } = answer;
  const bytes = opened?.plaintext ?? (await answer.bytes());
  const data = responseType === 'arraybuffer' ? bytes.slice().buffer : decodeText(bytes);
  if (opened === null) {
    if (typeof data === 'string' && isSuccess(answer)) requireNoJson(data);
    return { ...response, data: parse(data, dataType) };
  }
  const kept = Object.entries(response.header).filter(([name]) => !ENVELOPE_HEADERS.includes(name.toLowerCase()));
  const header = { ...Object.fromEntries(kept), 'content-type': opened.contentType };
  return { ...response, header, data: parse(data, dataType) };
}

/** A bootstrap or a time that takes longer is given up. */
const MAX_OWN_REQUEST_MILLIS = 10_000;

/** These callbacks would never be called. The transport has its own, which receive envelopes. */
function refuseCallbacks(request: WechatRequest): void {
  const name = ['success', 'fail', 'complete'].find((name) => request[name] !== undefined);
  if (name === undefined) return;
  throw new EnvelopeClientError('REQUEST_UNSUPPORTED', `${name} is not called: await the promise of request()`);
}

/** An answer that is not JSON stays a text, as in wx.request. */
function parse(data: string | ArrayBuffer, dataType: string): unknown {
  if (typeof data !== 'string' || dataType !== 'json') return data;
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

function bytesOf(data: unknown): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  // An answer in the clear may have been parsed.
  return ecmaScript.encodeText(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));
}

function textOrBytes(data: unknown): unknown {
  const isObject = typeof data === 'object' && data !== null && !(data instanceof ArrayBuffer);
  return isObject && !ArrayBuffer.isView(data) ? JSON.stringify(data) : data;
}

/**
 * The URL with the query that `wx.request` makes from the data of a GET, which is an object, or a text that is used
 * unchanged.
 */
function withQuery(url: string, data: unknown): string {
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) throw unsupportedContent('bytes in a query');
  const query = typeof data === 'object' && data !== null ? queryOf(data) : String(data ?? '');
  if (query === '') return url;
  const [address = '', ...fragment] = url.split(/(?=#)/);
  return `${address}${address.includes('?') ? '&' : '?'}${query.replace(/#/g, '%23')}${fragment.join('')}`;
}

function queryOf(data: object): string {
  const pairs = Object.entries(data).map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('='));
  return pairs.join('&');
}

function withLowerNames(header: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
}
