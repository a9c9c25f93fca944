import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';

/** The service refused the request. `code` is stable; the message is for people. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly code: string;
  constructor(status: number, { code, detail }: { readonly code?: string; readonly detail?: string }) {
    super(`${status} ${code ?? ''}: ${detail ?? 'refused'}`);
    this.status = status;
    this.code = code ?? '';
  }
}

export interface AppProfile {
  readonly mobile: string;
  readonly displayName: string;
  readonly hasPassword: boolean;
}

/** The operations of the service that an app uses. Requests are sealed if the service accepts envelopes. */
export interface AppService {
  /** The encryption mode of the service: `OFF`, `OPTIONAL` or `REQUIRED`. */
  encryptionMode(): Promise<string>;
  /** Requests a code by text message. */
  sendSmsCode(mobile: string): Promise<void>;
  /** The newest code for the number in the outbox of a development server, or null. */
  readDevelopmentCode(mobile: string): Promise<string | null>;
  /** Signs in and keeps the session for later calls. */
  signIn(mobile: string, smsCode: string): Promise<void>;
  readProfile(): Promise<AppProfile>;
  rename(displayName: string): Promise<AppProfile>;
  /** Discards the session, even if the service could not be reached. */
  signOut(): Promise<void>;
}

export function createAppService(baseUrl: string): AppService {
  const envelopes = createEnvelopeClient({ baseUrl });
  let token: string | null = null;
  /** Of the last request for a code: with it, wrong codes of strangers do not count against this client. */
  let handle: string | undefined;

  async function call<Data>(method: string, path: string, body?: object): Promise<Data> {
    const response = await envelopes.fetch(path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? {} : JSON.parse(text);
    if (!response.ok) throw new RefusedError(response.status, answer);
    return answer.data as Data;
  }

  return {
    encryptionMode: async () => (await envelopes.bootstrap()).mode,
    async sendSmsCode(mobile) {
      handle = (await call<{ readonly handle: string }>('POST', '/app/auth/sendSmsCode', { mobile })).handle;
    },
    async readDevelopmentCode(mobile) {
      const path = `/dev/sms-outbox?mobile=${encodeURIComponent(mobile)}&size=1`;
      const messages = await call<readonly { readonly code: string }[]>('GET', path);
      return messages[0]?.code ?? null;
    },
    async signIn(mobile, smsCode) {
      const credentials = { mobile, smsCode, handle, terminal: 'app' };
      token = (await call<{ readonly token: string }>('POST', '/app/auth/login', credentials)).token;
    },
    readProfile: () => call('GET', '/app/profile'),
    rename: (displayName) => call('PUT', '/app/profile', { displayName }),
    async signOut() {
      try {
        await call('POST', '/auth/logout');
      } finally {
        token = null;
      }
    },
  };
}
