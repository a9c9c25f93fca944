import {
  createEnvelopeClient,
  type EnvelopeClient,
  type EnvelopeClientOptions,
} from '@sallyport/envelope-crypto/client';
import createClient, { type Client } from 'openapi-fetch';
import { dataOf } from './answers.js';
import { asForm } from './files.js';
import { hashPassword } from './hash-password.js';
import { newKey } from './idempotency.js';
import { type components, type paths, UNSEALED_ROUTES } from './schema.generated.js';

type Schemas = components['schemas'];

/** Credentials with the password as it was typed. */
type Typed<Credentials> = Omit<Credentials, 'terminal'> & { readonly terminal?: string };

/** The options of the envelope client. The routes that are never sealed are known. */
export interface ApiClientOptions extends EnvelopeClientOptions {
  /** The token of a session that the application has kept. Default: none. */
  readonly token?: string;
  /** The language of the texts of refusals, such as `zh-CN`. Default: what `fetch` sends, in a browser its user's. */
  readonly language?: string;
}

/** A client of the reference server: for one session, of an administrator or of an app user. */
export interface ApiClient {
  /** Every operation of the OpenAPI document. Requests are sealed if the service accepts envelopes. */
  readonly api: Client<paths>;
  /** The encryption of the connection, and its sealed `fetch`. */
  readonly encryption: EnvelopeClient;
  /** The token of the session, or null. */
  readonly token: string | null;
  /**
   * Signs an administrator in. The password is as typed. If the answer has `secondFactor`, the sign-in needs a second
   * step, {@link ApiClient.proveFactor}, or an enrolment.
   */
  signIn(credentials: Typed<Schemas['AdministratorCredentials']>): Promise<Schemas['SignedInAdministrator']>;
  /** Signs an app user in, by password, by code, or by both. The password is as typed. */
  signInToApp(credentials: AppCredentials): Promise<Schemas['SignedInAppUser']>;
  /**
   * Takes the second step of a sign-in, or confirms in an open session who uses it: with a factor or, for an account
   * without one, the password as typed.
   */
  proveFactor(proof: FactorProof, options?: { readonly deviceToken?: string }): Promise<Schemas['ProvenSecondFactor']>;
  /** Takes the token of a sign-in that the enrolment of a factor has completed. */
  takeToken(token: string): void;
  /** Ends the session. The client forgets its token even if the service can't be reached. */
  signOut(): Promise<void>;
  /** Forgets the token of a session that the service has ended, as it does with a changed password. */
  forgetSession(): void;
  /** Uploads a file of an administrator. */
  upload(file: File, options?: UploadOptions): Promise<Schemas['StoredFile']>;
  /** Uploads a file of an app user. */
  uploadOwn(file: File, options?: UploadOptions): Promise<Schemas['OwnFile']>;
  /** The address of a file, for a link that sends no token. It works once, for a minute. */
  downloadUrl(fileId: string): Promise<URL>;
}

/** With a password or a code. */
export type AppCredentials = Typed<Schemas['AppCredentials']> &
  ({ readonly password: string } | { readonly smsCode: string });

/** A proof of who uses the client, next to the password of a sign-in. */
export type FactorProof =
  | { readonly kind: 'totp' | 'recovery-code'; readonly code: string }
  | { readonly kind: 'passkey'; readonly credential: object }
  | { readonly kind: 'password'; readonly password: string };

export interface UploadOptions {
  /** Whether anybody may see the file. Default false. */
  readonly publicPreview?: boolean;
  /** For a repetition of the same upload. Default: a new key. */
  readonly key?: ReturnType<typeof newKey>;
}

/** @throws EnvelopeClientSetupError with every fault of the options */
export function createApiClient({ token: kept, language, ...options }: ApiClientOptions): ApiClient {
  const encryption = createEnvelopeClient({ ...options, bypass: [...UNSEALED_ROUTES, ...(options.bypass ?? [])] });
  const baseUrl = String(options.baseUrl).replace(/\/$/, '');
  const api = createClient<paths>({ baseUrl, fetch: (request) => encryption.fetch(request) });
  let token = kept ?? null;

  api.use({
    onRequest({ request }) {
      if (token !== null) request.headers.set('Authorization', `Bearer ${token}`);
      if (language !== undefined) request.headers.set('Accept-Language', language);
    },
  });

  const formOf = (file: File, { publicPreview = false, key = newKey() }: UploadOptions) => ({
    params: { header: key },
    body: { file, publicPreview: publicPreview ? 'true' : 'false' } as const,
    bodySerializer: asForm,
  });

  return {
    api,
    encryption,
    get token() {
      return token;
    },
    async signIn({ password, terminal = 'web', ...rest }) {
      const body = { ...rest, terminal, password: hashPassword(password) };
      const { data } = dataOf(await api.POST('/admin/auth/login', { body }));
      token = data.token;
      return data;
    },
    async signInToApp({ terminal = 'app', ...rest }) {
      // The digest of an empty text would be a wrong password with a right code. The service ignores an empty one.
      const password = rest.password ? { password: hashPassword(rest.password) } : {};
      const { data } = dataOf(await api.POST('/app/auth/login', { body: { ...rest, ...password, terminal } }));
      token = data.token;
      return data;
    },
    async proveFactor(proof, { deviceToken } = {}) {
      const shown = proof.kind === 'password' ? { ...proof, password: hashPassword(proof.password) } : proof;
      const body = {
        ...shown,
        ...(deviceToken !== undefined && { deviceToken }),
      } as Schemas['SecondFactorProof'];
      const { data } = dataOf(await api.POST('/auth/second-factor', { body }));
      if (data.token !== undefined) token = data.token;
      return data;
    },
    takeToken(taken) {
      token = taken;
    },
    async signOut() {
      // Forgotten before the answer, which may never come: a token of the next sign-in stays.
      const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
      token = null;
      dataOf(await api.POST('/auth/logout', { headers }));
    },
    forgetSession() {
      token = null;
    },
    async upload(file, uploadOptions = {}) {
      return dataOf(await api.POST('/admin/storage/files', formOf(file, uploadOptions))).data;
    },
    async uploadOwn(file, uploadOptions = {}) {
      return dataOf(await api.POST('/app/storage/files', formOf(file, uploadOptions))).data;
    },
    async downloadUrl(fileId) {
      const body = { purpose: 'storage:download', resource: fileId };
      const { ticket } = dataOf(await api.POST('/auth/tickets', { body })).data;
      const query = new URLSearchParams({ id: fileId, ticket });
      return new URL(`${baseUrl}/public/storage/download?${query}`);
    },
  };
}
