// What `check-packages.mjs` asks of the server in each package's README, and what it must answer.
// `signIn`: the answer's `token` is sent with the requests behind it.
// `sealed`: the request goes through the client of the installed @sallyport/envelope-crypto.
const json = { 'content-type': 'application/json' };
const payment = { path: '/payments', method: 'POST', headers: json, body: '{"amount":"12.50"}' };

/** @type {Record<string, ({ path: string, expected: number, contains?: string, sealed?: true, signIn?: true } & RequestInit)[]>} */
export const readmeRequests = {
  'auth-tokens': [
    { path: '/me', expected: 401, contains: 'TOKEN_MISSING' },
    { path: '/login', method: 'POST', signIn: true, expected: 200, contains: '"tokenType":"Bearer"' },
    { path: '/me', expected: 200, contains: '"subject":"u-1"' },
    { path: '/logout', method: 'POST', expected: 200, contains: '"ended":true' },
    { path: '/me', expected: 401, contains: 'SESSION_REVOKED' },
  ],
  'client-ip': [
    { path: '/', headers: { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' }, expected: 200, contains: '"198.51.100.7"' },
    { path: '/', headers: { 'x-forwarded-for': 'junk' }, expected: 200, contains: '"127.0.0.1"' },
  ],
  'envelope-crypto': [
    { path: '/encryption/public-key', expected: 200, contains: '"suite":"sm2-sm4-gcm-v1"' },
    { ...payment, expected: 400, contains: 'ENVELOPE_REQUIRED' },
    { ...payment, sealed: true, expected: 200, contains: '12.50' },
  ],
  'replay-guard': [
    { path: '/encryption/public-key', expected: 200, contains: '"suite":"sm2-sm4-gcm-v1"' },
    { ...payment, expected: 400, contains: 'ENVELOPE_REQUIRED' },
    { ...payment, sealed: true, expected: 200, contains: '"amount":"12.50"' },
  ],
  'ttl-store': [
    { path: '/visits/ada', expected: 200, contains: '"visits":1' },
    { path: '/visits/ada', expected: 200, contains: '"visits":2' },
    { path: '/coupons/7', method: 'POST', expected: 200, contains: '"made":true' },
    { path: '/coupons/7', method: 'DELETE', expected: 200, contains: '"redeemed":true' },
    { path: '/coupons/7', method: 'DELETE', expected: 200, contains: '"redeemed":false' },
  ],
};
