/** What a server answered, or that it did not. */
export interface ApiAnswer {
  /** 0: no answer came. */
  readonly status: number;
  /** The code of a refusal; of a request without an answer what went wrong. */
  readonly code: string;
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint has data of its own
  readonly data: any;
  /** From the sending to the end of the answer. */
  readonly millis: number;
}

export interface ApiRequest {
  readonly method?: string;
  readonly token?: string;
  /** A form, a text that is sent as it is, or what becomes JSON. */
  readonly body?: object | string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the client waits, in milliseconds. Default 30 000. */
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
  const answered = (status: number, code: string, data: unknown): ApiAnswer => ({
    status,
    code,
    data,
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
    return answered(response.status, code, data ?? rest);
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    return answered(0, cause?.code ?? message, null);
  }
}

/** The same, where anything but the status that is expected means that the scenario can't go on. */
export async function callFor(expected: number, ...request: Parameters<typeof callApi>): Promise<ApiAnswer['data']> {
  const { status, code, data } = await callApi(...request);
  if (status !== expected) throw new Error(`${request[2]?.method ?? ''} ${request[1]} was answered ${status} ${code}`);
  return data;
}
