import { ownAddress, recordsOf } from '../audit-trail.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { NotRunError } from '../not-run.js';

/** Addresses for documentation (RFC 5737, RFC 3849), which no host has. */
const FORGED_ADDRESS = '203.0.113.77';

/** Every header in which proxies name a client, each with a documentation address. */
const forgeries: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-for': FORGED_ADDRESS },
  { 'x-forwarded-for': `${FORGED_ADDRESS}, 198.51.100.9` },
  { 'x-real-ip': FORGED_ADDRESS },
  { forwarded: `for=${FORGED_ADDRESS};proto=https` },
  { 'x-forwarded-for': FORGED_ADDRESS, 'x-real-ip': FORGED_ADDRESS, 'x-client-ip': FORGED_ADDRESS },
  { 'cf-connecting-ip': FORGED_ADDRESS, 'true-client-ip': FORGED_ADDRESS },
  { 'x-forwarded-for': '2001:db8::77' },
];

const recordedAddress: AcceptanceCheck = {
  id: 'proxies.address',
  title: 'no header of a client changes the address that is recorded for it',
  async run(context) {
    const { deployment, operator, did, hole } = context;
    const clientIp = await ownAddress(context);
    for (const headers of forgeries) {
      const answer = await deployment.call({ path: '/admin/profile', token: operator.token, headers });
      const [record] = await recordsOf(context, answer.requestId);
      if (record === undefined) throw new NotRunError(`request ${answer.requestId} has no audit record`);
      if (record.clientIp === clientIp) continue;
      const names = Object.keys(headers).join(' and ');
      hole(
        `with a forged ${names} the recorded address is ${record.clientIp}, and not ${clientIp}: the proxy has to ` +
          'overwrite the header, and SERVICE_TRUSTED_PROXIES must name the proxy alone (and not the machine that this runs on)',
      );
    }
    did(`forged the client's address in ${forgeries.length} ways; recorded was ${clientIp}`);
  },
};

/** Enough requests that two nodes with separate counters would each count to three. */
const ASKED = 8;

/** A new counter for each request would never reach this. */
const COUNTED = 3;

const limits: AcceptanceCheck = {
  id: 'proxies.limits',
  title: 'no header of a client gives it a fresh rate limit',
  async run(context) {
    const { did, hole } = context;
    const plain = await countDown(context, () => ({}));
    const forged = await countDown(context, (i) => {
      const address = `198.51.100.${i + 1}`;
      return { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` };
    });
    if (forged < COUNTED && plain >= COUNTED) {
      hole(
        `${ASKED} requests with another forged address each were counted to ${forged}, and not on: each has a limit of its own`,
      );
    } else if (forged < COUNTED) {
      throw new NotRunError('the rate limit does not count these requests together with or without forged headers');
    }
    did(`${ASKED} requests for a captcha with forged addresses: counted to ${forged} (without: to ${plain})`);
  },
};

/** The count of the captcha limit after some requests, from the header with the remainder. */
async function countDown(
  { deployment }: CheckContext,
  headersOf: (i: number) => Readonly<Record<string, string>>,
): Promise<number> {
  let most = 0;
  for (let i = 0; i < ASKED; i += 1) {
    const answer = await deployment.call({ path: '/admin/auth/captcha', headers: headersOf(i), isPatient: false });
    if (answer.status === 429) return Number.POSITIVE_INFINITY;
    const [limit, left] = [answer.headers.get('ratelimit-limit'), answer.headers.get('ratelimit-remaining')];
    if (limit === null || left === null) throw new NotRunError('the headers of the rate limit are missing');
    most = Math.max(most, Number.parseInt(limit, 10) - Number.parseInt(left, 10));
  }
  return most;
}

const requestIds: AcceptanceCheck = {
  id: 'proxies.request-id',
  title: 'nobody outside chooses the id of a request',
  async run({ deployment, operator, did, hole }) {
    const chosen = `acceptance-${crypto.randomUUID()}`;
    const headers = { 'x-request-id': chosen };
    const answer = await deployment.call({ path: '/admin/profile', token: operator.token, headers });
    if (answer.requestId === '') hole('an answer has no X-Request-Id');
    if (answer.requestId === chosen) hole('the X-Request-Id of a client is taken over: the proxy has to overwrite it');
    did(`asked for the request id ${chosen}; got ${answer.requestId}`);
  },
};

export const proxyChecks: readonly AcceptanceCheck[] = [recordedAddress, limits, requestIds];
