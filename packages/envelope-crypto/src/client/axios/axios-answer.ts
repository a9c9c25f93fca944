import axios, { type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import type { TextDecoding, TextEncoding } from '../../wire/index.js';
import { type Answer, ENVELOPE_HEADERS, isSuccess, type Outcome, refuse, requireNoJson } from '../connection/index.js';

/** An answer that axios received. */
export interface AxiosAnswer extends Answer {
  readonly response: AxiosResponse;
  /** Whether a redirect was followed to get the answer, which `xhr` can't be kept from doing. */
  isRedirected(asked: string): boolean;
}

export function answerOf(response: AxiosResponse, encodeText: TextEncoding): AxiosAnswer {
  const headers = axios.AxiosHeaders.from(response.headers as Record<string, string>);
  return {
    response,
    status: response.status,
    headers: { get: (name) => (headers.has(name) ? String(headers.get(name)) : null) },
    bytes: async () => bytesOf(response.data, encodeText),
    isRedirected(asked) {
      const { responseURL } = (response.request ?? {}) as { responseURL?: string };
      return typeof responseURL === 'string' && responseURL !== '' && responseURL !== asked;
    },
  };
}

/** The response that axios would have given for an answer in the clear. */
export async function openedResponse(
  { answer, opened }: Outcome<AxiosAnswer>,
  config: InternalAxiosRequestConfig,
  decodeText: TextDecoding,
): Promise<AxiosResponse> {
  const { response } = answer;
  const headers = axios.AxiosHeaders.from(response.headers as Record<string, string>);
  const bytes = opened?.plaintext ?? (await answer.bytes());
  if (opened !== null) {
    headers.delete([...ENVELOPE_HEADERS]);
    headers.set('content-type', opened.contentType);
  }
  const { responseType } = config;
  const type = String(headers.get('content-type') ?? '');
  const isBytes = responseType === 'arraybuffer';
  const data = isBytes ? likeReceived(bytes, response.data) : contentOf(bytes, responseType, type, decodeText);
  if (opened === null && isSuccess(answer) && typeof data === 'string') refuseData(data, config);
  return { ...response, config, headers, data };
}

/** Axios parses JSON of any media type, and with `responseType: 'json'` gives the application nothing else. */
function refuseData(text: string, { responseType }: InternalAxiosRequestConfig): void {
  if (responseType === 'json' && text !== '') refuse('its JSON is not sealed');
  requireNoJson(text);
}

/** Bytes in the class that axios used for the received ones: a Buffer in Node.js, otherwise an ArrayBuffer. */
function likeReceived(bytes: Uint8Array, received: unknown): unknown {
  if (!(received instanceof Uint8Array)) return bytes.slice().buffer;
  return (received.constructor as Uint8ArrayConstructor).from(bytes);
}

/**
 * The content in the form that `responseType` requires. JSON stays a text, which `transformResponse` of axios parses.
 */
function contentOf(
  bytes: Uint8Array,
  responseType: InternalAxiosRequestConfig['responseType'],
  type: string,
  decodeText: TextDecoding,
): unknown {
  if (responseType === 'blob') return new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
  return decodeText(bytes);
}

/** Resolves or rejects by the status, as an adapter of axios does. */
export function settle(response: AxiosResponse): AxiosResponse {
  const { status, config, request } = response;
  const { validateStatus } = config;
  if (!status || !validateStatus || validateStatus(status)) return response;
  const code = status < 500 ? axios.AxiosError.ERR_BAD_REQUEST : axios.AxiosError.ERR_BAD_RESPONSE;
  throw new axios.AxiosError(`Request failed with status code ${status}`, code, config, request, response);
}

function bytesOf(data: unknown, encodeText: TextEncoding): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return encodeText(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''));
}
