import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';

/** The service refused; `code` is stable, the message is for people. */
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

/** What an app does with the service. Every request goes in an envelope where the service takes envelopes. */
export interface AppService {
  /** How the service wants requests: `OFF`, `OPTIONAL` or `REQUIRED` envelopes. */
  encryptionMode(): Promise<string>;
  /** Asks for a code by text message. */
  sendSmsCode(mobile: string): Promise<void>;
  /** The newest code that a development server 'sent' to the number, or null. */
  readDevelopmentCode(mobile: string): Promise<string | null>;
  /** Keeps the session for the calls that follow. */
  signIn(mobile: string, smsCode: string): Promise<void>;
  readProfile(): Promise<AppProfile>;
  rename(displayName: string): Promise<AppProfile>;
  /** Forgets the session, whether or not the service could be told. */
  signOut(): Promise<void>;
}

export function createAppService(baseUrl: string): AppService {
  const envelopes = createEnvelopeClient({ baseUrl });
  let token: string | null = null;

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
    sendSmsCode: (mobile) => call('POST', '/app/auth/sendSmsCode', { mobile }),
    async readDevelopmentCode(mobile) {
      const path = `/dev/sms-outbox?mobile=${encodeURIComponent(mobile)}&size=1`;
      const messages = await call<readonly { readonly code: string }[]>('GET', path);
      return messages[0]?.code ?? null;
    },
    async signIn(mobile, smsCode) {
      const credentials = { mobile, smsCode, terminal: 'app' };
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
