import { setTimeout as sleep } from 'node:timers/promises';
import { settings } from '../../src/config/settings.js';
import { passwordToSend } from '../../src/modules/administrators/index.js';
import { type ApiAnswer, type ApiRequest, callApi, callFor } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import type { Finding } from '../observed-run.js';
import { readServiceKey, type ServiceKey, sealBody, sealGet } from '../sealed-copy.js';
import { shippedLimits } from '../shipped-settings.js';
import type { Scenario } from './scenario.js';
import { type SharedFleet, startSharedFleet } from './shared-fleet.js';

/** Everybody is behind it. */
const ADDRESS = '203.0.113.7';
const CLIENTS = 100;

/** Half of the gate's rate is the attacker's. The honest ones share what is left of the other half. */
const GATE = settings['flood-gate.max-requests'].default;
const WINDOW_SECONDS = settings['flood-gate.window-seconds'].default;
const ATTACKS_A_SECOND = GATE / 2 / WINDOW_SECONDS;
const HONEST_A_SECOND = 0.9 * ATTACKS_A_SECOND;

const PASSWORD = passwordToSend('correct horse');
const ACCOUNTS = 10;

type Send = (path: string, request: ApiRequest) => Promise<ApiAnswer>;

/** What the attacker, who has no session, sends again and again. */
const attacks: Readonly<Record<string, (key: ServiceKey) => [path: string, request: ApiRequest]>> = {
  'forged query envelopes'(key) {
    const { path, request } = sealGet(key, '/app/auth/captcha', null, Date.now());
    return [path.replace('/app/auth/captcha', '/admin/auth/captcha'), request];
  },
  'forged body envelopes'(key) {
    const { request } = sealBody(key, '/somewhere', { method: 'POST', token: '', timestamp: Date.now(), body: {} });
    const headers = { ...request.headers, 'content-type': 'application/json' };
    return ['/admin/auth/login', { method: 'POST', body: request.body!, headers }];
  },
  'a flood of public reads': () => ['/public/system-parameters', {}],
  'a flood of unknown paths': () => ['/nowhere', {}],
};

/** What a signed-in neighbour sends, and what he expects. */
const honest: Readonly<Record<string, (key: ServiceKey, token: string) => [ApiRequest & { path: string }, number]>> = {
  plaintext: (_key, token) => [{ path: '/admin/profile', token }, 200],
  'sealed query'(key, token) {
    const { path, request } = sealGet(key, '/admin/profile', token, Date.now());
    return [{ path, ...request }, 200];
  },
  'sealed body'(key, token) {
    const body = { displayName: 'A neighbour' };
    const { path, request } = sealBody(key, '/admin/profile', { method: 'PUT', token, timestamp: Date.now(), body });
    return [{ path, ...request }, 200];
  },
};

/** ORD-7: at settings as shipped, one attacker takes nothing from 100 clients behind his address. */
export const ord7: Scenario = {
  name: 'ord-7',
  meaning: 'one attacker and 100 signed-in clients behind one address, at limits as shipped; --seconds 10',
  stores: ['postgres'],
  async run(site, { seconds }) {
    const shared = await startSharedFleet(site, {
      environment: shippedLimits,
      nodes: 1,
    });
    try {
      const [origin] = shared.origins;
      const key = await readServiceKey(origin);
      const tokens = await signInAll(shared);
      const findings: Finding[] = [];
      for (const name of Object.keys(attacks)) {
        site.say(name);
        // The window of the attack before is over.
        await sleep(WINDOW_SECONDS * 1000);
        const send: Send = (path, { headers, ...request }) =>
          callApi(origin, path, { ...request, headers: { ...headers, 'x-forwarded-for': ADDRESS } });
        findings.push({ ...(await runAttack(name, { send, key, tokens, seconds })), store: site.store });
      }
      return findings;
    } finally {
      await shared.close();
    }
  },
};

/** Ten accounts with ten sessions each. */
async function signInAll({ origins: [origin], token }: SharedFleet): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const username = `neighbour-${Date.now()}-${account}`;
    const body = { username, password: PASSWORD, displayName: username };
    const headers = { 'x-forwarded-for': `198.51.100.${account}` };
    await callFor(201, origin, '/admin/administrators', { token, body, headers });
    for (let session = 0; session < CLIENTS / ACCOUNTS; session += 1) {
      const credentials = { username, password: PASSWORD, terminal: 'web' };
      tokens.push((await callFor(200, origin, '/admin/auth/login', { body: credentials, headers })).token);
    }
  }
  return tokens;
}

interface Neighbourhood {
  readonly send: Send;
  readonly key: ServiceKey;
  readonly tokens: readonly string[];
  readonly seconds: number;
}

async function runAttack(name: string, { send, key, tokens, seconds }: Neighbourhood): Promise<Omit<Finding, 'store'>> {
  const attack = attacks[name]!(key);
  const attacked: Promise<ApiAnswer>[] = [];
  const served: Promise<{ kind: string; answer: ApiAnswer; expected: number }>[] = [];
  const kinds = Object.keys(honest);
  const until = performance.now() + seconds * 1000;
  const atRate = async (perSecond: number, one: (index: number) => void) => {
    for (let index = 0; performance.now() < until; index += 1) {
      one(index);
      await sleep(1000 / perSecond);
    }
  };
  await Promise.all([
    atRate(ATTACKS_A_SECOND, () => attacked.push(send(...attack))),
    atRate(HONEST_A_SECOND, (index) => {
      const kind = kinds[index % kinds.length]!;
      const [{ path, ...request }, expected] = honest[kind]!(key, tokens[index % tokens.length]!);
      served.push(send(path, request).then((answer) => ({ kind, answer, expected })));
    }),
  ]);
  const [hits, answers] = await Promise.all([Promise.all(attacked), Promise.all(served)]);
  const refused = answers.filter(({ answer, expected }) => answer.status !== expected);
  const violations: Violation[] = refused.slice(0, 3).map(({ kind, answer }) => ({
    kind: 'refused',
    key: name,
    detail: `${kind}: ${answer.status} ${answer.code ?? ''}, one of ${refused.length} of ${answers.length}`,
  }));
  const millis = answers.map(({ answer }) => answer.millis).sort((one, other) => one - other);
  const limited = hits.filter(({ status }) => status === 429).length;
  const median = Math.round(millis[Math.floor(millis.length / 2)] ?? 0);
  return {
    ...{ keys: 0, acknowledged: 0, submitted: 0, unknown: 0, rows: 0 },
    scenario: 'ORD-7',
    fault: name,
    times: 1,
    attempts: hits.length,
    slowestMillis: Math.round(millis.at(-1) ?? 0),
    measured: `${hits.length} attacks, ${limited} refused; honest ${answers.length}, ${refused.length} refused, median ${median} ms`,
    violations,
  };
}
