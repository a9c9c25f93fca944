import { deepEqual, match } from 'node:assert/strict';
import { refused, works } from '../expectations.mjs';

const forged = { headers: { 'x-forwarded-for': '6.6.6.6' } };

async function ignoresForged({ ask }) {
  match((await ask('GET /', forged)).json.clientIp, /^(?:127\.0\.0\.1|::1)$/);
}

const IGNORES = 'a header of a stranger is ignored';
const PROXIES = /client-ip: .*trustedProxies/;

export const cases = [
  works('no options', 'option.mjs none', IGNORES, ignoresForged),
  refused('trustedProxies: true', 'option.mjs true', PROXIES, /list/),
  refused('trustedProxies: 1', 'option.mjs hops', PROXIES, /list/),
  refused("trustedProxies: ['loopback']", 'option.mjs name', PROXIES, /address/),
  refused('a host name', 'option.mjs host', PROXIES, /address/),
  refused('a text of addresses', 'option.mjs text', PROXIES, /list/),
  refused('trustedProxies: all addresses', 'option.mjs everybody', PROXIES, /list the addresses of your proxies/),
  refused('a misspelt option', 'option.mjs misspelt', /trustedProxy/, /did you mean trustedProxies/),
  works('registered without await', 'without-await.mjs', IGNORES, ignoresForged),
  works('trustProxy: true of Fastify', 'trust-proxy.mjs', IGNORES, ignoresForged),
  refused('registered in a child scope', 'child-scope.mjs', /client-ip/, /scope: 'encapsulated'/),
  refused('registered twice', 'twice.mjs', /client-?[iI]p/, /remove one registration/),
  works('@fastify/rate-limit before it', 'rate-limit-first.mjs', 'each client has its own limit', async ({ ask }) => {
    const statuses = [];
    for (const client of [1, 2, 3, 1, 1]) {
      const headers = { 'x-forwarded-for': `198.51.100.${client}` };
      statuses.push((await ask('GET /', { headers })).status);
    }
    deepEqual(statuses, [200, 200, 200, 200, 429]);
  }),
];
