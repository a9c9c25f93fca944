// What `check-packages.mjs` asks of the server in each package's README, and what it must answer.
// `sealed`: the request goes through the client of the installed @sallyport/envelope-crypto.
const json = { 'content-type': 'application/json' };
const payment = { path: '/payments', method: 'POST', headers: json, body: '{"amount":"12.50"}' };

/** @type {Record<string, ({ path: string, expected: number, contains?: string, sealed?: true } & RequestInit)[]>} */
export const readmeRequests = {
  'client-ip': [
    { path: '/', headers: { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' }, expected: 200, contains: '"198.51.100.7"' },
    { path: '/', headers: { 'x-forwarded-for': 'junk' }, expected: 200, contains: '"127.0.0.1"' },
  ],
  'replay-guard': [
    { path: '/encryption/public-key', expected: 200, contains: '"suite":"sm2-sm4-gcm-v1"' },
    { ...payment, expected: 400, contains: 'ENVELOPE_REQUIRED' },
    { ...payment, sealed: true, expected: 200, contains: '"amount":"12.50"' },
  ],
};
