/** A server's answer, or the failure to get one. */
export interface ApiAnswer {
  /** 0 if there was no answer. */
  readonly status: number;
  /** The code of a refusal, or the error if there was no answer. */
  readonly code: string;
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint has data of its own
  readonly data: any;
  /** `X-Request-Id`; an empty text if there was no answer. */
  readonly requestId: string;
  /** From the start of the request to the end of the answer. */
  readonly millis: number;
}

export interface ApiRequest {
  readonly method?: string;
  readonly token?: string;
  /** A form, a string sent unchanged, or an object sent as JSON. */
  readonly body?: object | string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client's timeout, in milliseconds. Default 30 000. */
  readonly patienceMillis?: number;
}

const PATIENCE_MILLIS = 30_000;

/** Sends one request, and never rejects. */
export async function callApi(
  origin: string,
  path: string,
  { method, token, body, headers = {}, patienceMillis = PATIENCE_MILLIS }: ApiRequest = {},
): Promise<ApiAnswer> {
  const began = performance.now();
  const answered = (status: number, code: string, data: unknown, requestId = ''): ApiAnswer => ({
    status,
    code,
    data,
    requestId,
    millis: performance.now() - began,
  });
  try {
    const response = await fetch(origin + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(patienceMillis),
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { data = null, code = '', ...rest } = isJson && text !== '' ? JSON.parse(text) : {};
    return answered(response.status, code, data ?? rest, response.headers.get('x-request-id') ?? '');
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return answered(0, cause?.code ?? message, null);
  }
}

/** Like `callApi`, but throws if the status is not the expected one. */
export async function callFor(expected: number, ...request: Parameters<typeof callApi>): Promise<ApiAnswer['data']> {
  const { status, code, data } = await callApi(...request);
  if (status !== expected) throw new Error(`${request[2]?.method ?? ''} ${request[1]} was answered ${status} ${code}`);
  return data;
}
