import {
  type ApiClient,
  asContent,
  createApiClient,
  dataOf,
  hashPassword,
  newKey,
  readEvents,
  writeOnce,
} from '../src/index.js';

/** A call as it was made. */
export interface Call {
  readonly method: string;
  /** As in the OpenAPI document. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** As opened, if it was sealed. */
  readonly body: string;
}

/** One pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const pixel = (name: string) =>
  new File([Uint8Array.from(atob(PIXEL), (character) => character.charCodeAt(0))], name, { type: 'image/png' });

/**
 * Calls every operation of a development server: what this file calls, the types of the document allow, without a cast.
 *
 * @param mobile a number that no app user has yet
 * @returns the calls, in order
 */
export async function callEveryOperation(baseUrl: string, mobile: string): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const newClient = () => {
    const client = createApiClient({ baseUrl });
    client.api.use({
      async onResponse({ request, schemaPath, response }) {
        const { status, headers } = response;
        // Not read here: it would be read for ever.
        const isStream = headers.get('content-type')?.startsWith('text/event-stream');
        const body = isStream ? 'data: (a stream has no end)' : await response.clone().text();
        calls.push({ method: request.method, path: schemaPath, status, headers, body });
      },
    });
    return client;
  };
  const admin = newClient();
  await readPublicOperations(admin);
  await admin.signIn({ username: 'admin', password: 'sallyport-dev' });
  await proveAgain(admin);
  await changeRolesAndAdministrators(admin);
  await pay(admin);
  await storeFiles(admin);
  await readOperations(admin);

  const user = newClient();
  await actAsAppUser(user, mobile);
  await administerAppUsers(admin, mobile);
  await useSecondFactors(admin);
  await endSessions(admin, newClient());
  return calls;
}

/** Without a second factor, the password is the proof. */
async function proveAgain({ api }: ApiClient): Promise<void> {
  await api.POST('/auth/second-factor/options', { body: { kind: 'passkey' } });
  const password = hashPassword('sallyport-dev');
  dataOf(await api.POST('/auth/second-factor', { body: { kind: 'password', password } }));
}

async function readPublicOperations({ api }: ApiClient): Promise<void> {
  dataOf(await api.GET('/encryption/public-key'));
  await api.POST('/encryption/time');
  dataOf(await api.GET('/actuator/health/liveness'));
  await api.GET('/actuator/health');
  await api.GET('/actuator/health/readiness');
  dataOf(await api.GET('/public/system-parameters'));
  dataOf(await api.GET('/admin/auth/captcha', { params: { query: { for: 'login' } } }));

  const account = { username: 'li.hua', password: hashPassword('a'), terminal: 'web', displayName: 'Li Hua' };
  const captcha = { key: 'none', code: 'none' };
  const registered = await api.POST('/admin/auth/register', {
    params: { header: newKey() },
    body: { ...account, ...captcha },
  });
  // The codes of the operation are known.
  if (registered.error?.code === 'REGISTRATION_CLOSED') return;
  dataOf(registered);
}

async function changeRolesAndAdministrators({ api }: ApiClient): Promise<void> {
  const [group] = dataOf(await api.GET('/admin/permissions')).data;
  if (group?.permissions[0]?.text.en === undefined) throw new Error('there are no permissions');
  const permissions = ['api:admin:roles:list'];
  const name = `Readers ${crypto.randomUUID()}`;
  const role = dataOf(
    await writeOnce((header) => api.POST('/admin/roles', { params: { header }, body: { name, permissions } })),
  );
  const ofRole = { path: { id: role.data.id } };
  const { version } = dataOf(await api.GET('/admin/roles/{id}', { params: ofRole })).data;
  dataOf(await api.PUT('/admin/roles/{id}', { params: ofRole, body: { permissions, version } }));
  dataOf(await api.GET('/admin/roles'));

  const username = `clerk-${crypto.randomUUID()}`;
  const body = { username, password: hashPassword('wool-lantern-7'), displayName: 'Clerk', roleIds: [role.data.id] };
  const created = dataOf(await api.POST('/admin/administrators', { params: { header: newKey() }, body }));
  const ofAccount = { path: { id: created.data.id } };
  dataOf(await api.GET('/admin/administrators', { params: { query: { page: 1, size: 5 } } }));
  dataOf(await api.GET('/admin/administrators/{id}', { params: ofAccount }));
  dataOf(await api.PUT('/admin/administrators/{id}', { params: ofAccount, body: { roleIds: [] } }));
  const password = hashPassword('wool-lantern-8');
  dataOf(await api.PUT('/admin/administrators/{id}/password', { params: ofAccount, body: { password } }));
  dataOf(await api.DELETE('/admin/administrators/{id}/sessions', { params: ofAccount }));
  const enrolmentCode = await api.POST('/admin/administrators/{id}/second-factors/enrolment-code', {
    params: ofAccount,
    body: {},
  });
  if (dataOf(enrolmentCode).data.code.length !== 29) throw new Error('the code has another form');
  dataOf(await api.DELETE('/admin/administrators/{id}/second-factors', { params: ofAccount }));
  dataOf(await api.DELETE('/admin/administrators/{id}', { params: ofAccount }));
  dataOf(await api.DELETE('/admin/roles/{id}', { params: ofRole }));
}

async function pay({ api }: ApiClient): Promise<void> {
  const header = newKey();
  const body = { payee: 'Harbour Supplies', amount: '12.50' };
  const payment = dataOf(await api.POST('/admin/payments', { params: { header }, body })).data;
  dataOf(await api.GET('/admin/payments/{id}', { params: { path: { id: payment.id } } }));
  dataOf(await api.GET('/admin/payments'));
  const key = header['Idempotency-Key'];
  const use = dataOf(await api.GET('/idempotency/{key}', { params: { path: { key } } })).data;
  if (use.state !== 'SUBMITTED') throw new Error(`the payment is ${use.state}`);
}

async function storeFiles(client: ApiClient): Promise<void> {
  const { api } = client;
  const stored = await client.upload(pixel('pixel.png'), { publicPreview: true });
  const path = { id: stored.id };
  dataOf(await api.GET('/admin/storage/files'));
  dataOf(await api.GET('/admin/storage/files/{id}/content', { params: { path }, parseAs: 'blob' }));
  dataOf(await api.GET('/public/storage/preview', { params: { query: path }, parseAs: 'blob' }));
  const ticket = (await client.downloadUrl(stored.id)).searchParams.get('ticket') ?? '';
  const content = dataOf(
    await api.GET('/public/storage/download', { params: { query: { ...path, ticket } }, parseAs: 'arrayBuffer' }),
  );
  if (content.byteLength !== stored.size) throw new Error('the download differs');
  const query = { fileName: 'pixel.png', maxSizeMb: 1 };
  dataOf(await api.POST('/admin/storage/simulate', { params: { query }, ...asContent(pixel('pixel.png')) }));
  dataOf(await api.DELETE('/admin/storage/files/{id}', { params: { path } }));
}

async function readOperations(client: ApiClient): Promise<void> {
  const { api } = client;
  const [first] = dataOf(await api.GET('/admin/system-parameters', { params: { query: { size: 1 } } })).data;
  if (first === undefined) throw new Error('there are no parameters');
  const ofParameter = { path: { key: first.key } };
  const { value, version } = dataOf(await api.GET('/admin/system-parameters/{key}', { params: ofParameter })).data;
  dataOf(
    await api.PUT('/admin/system-parameters/{key}', {
      params: { ...ofParameter, header: newKey() },
      body: { value, version },
    }),
  );
  const search = { action: 'auth.login', outcome: 'success', from: Date.now() - 60_000 } as const;
  const { page } = dataOf(await api.GET('/admin/audit-records', { params: { query: { ...search, size: 1 } } }));
  if (page.next !== null) {
    dataOf(await api.GET('/admin/audit-records', { params: { query: { ...search, after: page.next } } }));
  }
  dataOf(await api.GET('/admin/audit-records/actions'));
  const { id } = dataOf(await api.POST('/admin/audit-records/verify')).data;
  const verification = dataOf(
    await api.GET('/admin/audit-records/verifications/{id}', { params: { path: { id } } }),
  ).data;
  if (verification.state === 'failed') throw new Error('the log could not be verified');
  dataOf(
    await api.GET('/admin/audit-records/export', { params: { query: { ...search, format: 'csv' } }, parseAs: 'text' }),
  );
  dataOf(await api.GET('/admin/notifications'));
  dataOf(await api.GET('/actuator/metrics', { parseAs: 'text' }));
  dataOf(await api.GET('/admin/activity', { params: { query: { window: 'day' } } }));
  await watchOnce(client);
  dataOf(await api.GET('/admin/login-policy/locks'));
  dataOf(await api.GET('/admin/login-policy/explain', { params: { query: { username: 'nobody' } } }));
  dataOf(await api.POST('/admin/auth/clearLoginLimit', { body: { username: 'nobody' } }));
}

async function watchOnce(client: ApiClient): Promise<void> {
  const header = { 'Last-Event-ID': 'of another state' };
  const answer = await client.api.GET('/admin/activity/stream', { params: { header }, parseAs: 'stream' });
  dataOf(answer);
  for await (const { id, data } of readEvents(client, answer.response)) {
    if (id === null || JSON.parse(data).kind !== 'activity') throw new Error('the first event shows no activity');
    return;
  }
}

async function actAsAppUser(user: ApiClient, mobile: string): Promise<void> {
  const { api } = user;
  dataOf(await api.GET('/app/auth/captcha', { params: { query: { for: 'sms', kind: 'proof-of-work' } } }));
  const { handle } = dataOf(await api.POST('/app/auth/sendSmsCode', { body: { mobile } })).data;
  const smsCode = await codeOf(user, mobile);
  await user.signInToApp({ mobile, smsCode, handle });
  dataOf(await api.GET('/app/profile'));
  dataOf(await api.PUT('/app/profile', { body: { displayName: 'Li Hua' } }));
  await user.uploadOwn(pixel('own.png'));
  dataOf(await api.GET('/app/storage/files'));

  // The code is used up.
  const newPassword = hashPassword('wool-lantern-9');
  await api.PUT('/app/profile/password', { body: { newPassword, smsCode } });
  const captcha = { key: 'none', code: 'none' };
  await api.POST('/app/auth/recoverPassword', {
    params: { header: newKey() },
    body: { mobile, smsCode, newPassword, ...captcha },
  });
  const [session] = dataOf(await api.GET('/app/sessions')).data;
  await api.DELETE('/app/sessions/{id}', { params: { path: { id: `${session?.id}-of-nobody` } } });
  dataOf(await api.DELETE('/app/sessions'));
}

/** The code in the outbox of the development server. */
async function codeOf({ api }: ApiClient, mobile: string): Promise<string> {
  dataOf(await api.GET('/dev/sms-outbox/page', { parseAs: 'text' }));
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const [message] = dataOf(await api.GET('/dev/sms-outbox', { params: { query: { mobile, size: 1 } } })).data;
    if (message !== undefined) return message.code;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('no message arrived');
}

async function administerAppUsers({ api }: ApiClient, mobile: string): Promise<void> {
  const [found] = dataOf(await api.GET('/admin/app-users', { params: { query: { mobile } } })).data;
  if (found === undefined) throw new Error('the app user is not listed');
  const params = { path: { id: found.id } };
  dataOf(await api.GET('/admin/app-users/{id}', { params }));
  dataOf(await api.PUT('/admin/app-users/{id}', { params, body: { disabled: true } }));
  dataOf(await api.DELETE('/admin/app-users/{id}/sessions', { params }));
  dataOf(await api.POST('/admin/app-users/{id}/second-factors/enrolment-code', { params, body: {} }));
  dataOf(await api.DELETE('/admin/app-users/{id}/second-factors', { params }));
}

/** The second factor is switched off: nothing is changed. */
async function useSecondFactors({ api }: ApiClient): Promise<void> {
  if (dataOf(await api.GET('/auth/second-factors')).data.length > 0) throw new Error('there is a factor');
  await api.POST('/auth/second-factors/totp', { body: { name: 'Phone' } });
  const params = { path: { id: 'none' } };
  await api.POST('/auth/second-factors/totp/{id}/confirm', { params, body: { code: '123456' } });
  await api.POST('/auth/second-factors/passkeys/options', { body: {} });
  await api.POST('/auth/second-factors/passkeys', { body: { credential: {} } });
  await api.POST('/auth/second-factors/recovery-codes', { body: {} });
  await api.DELETE('/auth/second-factors/{id}', { params });
}

async function endSessions({ api }: ApiClient, other: ApiClient): Promise<void> {
  const { displayName } = dataOf(await api.GET('/admin/profile')).data;
  dataOf(await api.PUT('/admin/profile', { body: { displayName } }));
  await other.signIn({ username: 'admin', password: 'sallyport-dev' });
  dataOf(await api.GET('/admin/sessions', { params: { query: { scope: 'all', address: '127.0.0.1' } } }));
  const sessions = dataOf(await api.GET('/admin/sessions', { params: { query: { audience: 'admin' } } })).data;
  const elsewhere = sessions.find(({ current }) => !current);
  if (elsewhere === undefined) throw new Error('the other session is not listed');
  dataOf(await api.DELETE('/admin/sessions/{id}', { params: { path: { id: elsewhere.id } } }));

  await other.signIn({ username: 'admin', password: 'sallyport-dev' });
  await other.signOut();
  // The old password is wrong.
  const passwords = { oldPassword: hashPassword('wrong'), newPassword: hashPassword('wool-lantern-10') };
  await api.PUT('/admin/profile/password', { body: passwords });
}
