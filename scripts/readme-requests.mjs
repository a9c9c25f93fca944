// The requests that `check-readmes.mjs` sends to the server of a quick start, and the answers that it expects, where
// the README's own blocks show less.
// `signIn`: the answer's `token` is sent with the requests that follow.
const json = { 'content-type': 'application/json' };
const payment = { path: '/payments', method: 'POST', headers: json, body: '{"amount":"12.50"}' };

const paymentUnder = (key) => ({ ...payment, headers: { ...json, 'idempotency-key': key } });

const onlyToTryIt = { authorization: 'Bearer only-to-try-it' };
const changeOf = (value, headers = {}) => ({
  path: '/admin/system-parameters/shop.items-per-page',
  method: 'PUT',
  headers: { ...json, ...headers },
  body: JSON.stringify({ value, version: 0 }),
});

/** A form with one file. */
const uploadOf = (fileName, mediaType, text) => ({
  path: '/files',
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${mediaType}\r\n\r\n${text}\r\n--b--\r\n`,
});

const signIn = (username, password) => ({
  path: '/login',
  method: 'POST',
  headers: json,
  body: JSON.stringify({ username, password }),
});

/**
 * @type {Record<string, ({ path: string, expected: number, contains?: string, signIn?: true } &
 * RequestInit)[]>}
 */
export const readmeRequests = {
  'audit-log': [
    { ...payment, expected: 201, contains: '"id":"payment-1"' },
    { path: '/health', expected: 200, contains: '"status":"UP"' },
  ],
  'auth-tokens': [
    { path: '/me', expected: 401, contains: 'TOKEN_MISSING' },
    { path: '/login', method: 'POST', signIn: true, expected: 200, contains: '"tokenType":"Bearer"' },
    { path: '/me', expected: 200, contains: '"subject":"u-1"' },
    { path: '/logout', method: 'POST', expected: 200, contains: '"ended":true' },
    { path: '/me', expected: 401, contains: 'SESSION_REVOKED' },
  ],
  idempotency: [
    { ...payment, expected: 400, contains: 'IDEMPOTENCY_KEY_REQUIRED' },
    { ...paymentUnder('order-12345'), expected: 400, contains: 'IDEMPOTENCY_KEY_INVALID' },
    { ...paymentUnder('c56a4180-65aa-42ec-a945-5fd21dec0538'), expected: 201, contains: '"id":1' },
    { ...paymentUnder('C56A4180-65AA-42EC-A945-5FD21DEC0538'), expected: 409, contains: 'IDEMPOTENCY_SUBMITTED' },
    {
      ...paymentUnder('c56a4180-65aa-42ec-a945-5fd21dec0538'),
      body: '{"amount":"99"}',
      expected: 422,
      contains: 'IDEMPOTENCY_DIGEST_MISMATCH',
    },
  ],
  'login-policy': [
    { ...signIn('ada', 'correct horse'), expected: 200, contains: '"username":"ada"' },
    { ...signIn('ada', ''), expected: 400 },
    ...Array.from({ length: 5 }, () => ({ ...signIn('ada', 'wrong'), expected: 401 })),
    { ...signIn('ada', 'correct horse'), expected: 429, contains: 'LOGIN_LOCKED' },
  ],
  'system-parameters': [
    { path: '/public/system-parameters', expected: 200, contains: '{"data":{"shop.items-per-page":20}}' },
    { ...changeOf(50), expected: 401 },
    { ...changeOf(0, onlyToTryIt), expected: 400, contains: 'PARAMETER_INVALID' },
    { ...changeOf(50, onlyToTryIt), expected: 200, contains: '"version":1' },
    { ...changeOf(60, onlyToTryIt), expected: 409, contains: 'PARAMETER_VERSION_CONFLICT' },
    { path: '/orders', expected: 200, contains: '{"itemsPerPage":50,"isOpen":true}' },
  ],
  'upload-policy': [
    {
      ...uploadOf('note.txt', 'text/plain', 'some text'),
      expected: 201,
      contains: '"mediaType":"text/plain; charset=utf-8"',
    },
    { ...uploadOf('note.exe', 'text/plain', 'some text'), expected: 415, contains: 'UPLOAD_TYPE_REFUSED' },
    { ...uploadOf('photo.jpg', 'image/jpeg', '<script>'), expected: 415, contains: 'UPLOAD_TYPE_REFUSED' },
    { ...uploadOf('note.txt', 'text/plain', ''), expected: 400, contains: 'UPLOAD_EMPTY' },
    { path: '/files', method: 'POST', headers: json, body: '{}', expected: 400, contains: 'UPLOAD_MALFORMED' },
  ],
};
