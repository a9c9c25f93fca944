import { setTimeout as sleep } from 'node:timers/promises';
import { settings } from '../../src/config/settings.js';
import { type ApiAnswer, type ApiRequest, callApi } from '../api-client.js';
import type { Violation } from '../history-checker.js';
import type { Finding } from '../observed-run.js';
import { readServiceKey, type ServiceKey, sealBody, sealGet } from '../sealed-copy.js';
import { shippedLimits } from '../shipped-settings.js';
import type { Scenario, Site } from './scenario.js';
import { type SharedFleet, startSharedFleet } from './shared-fleet.js';

/** What an address can make a node open in a window, by the documented price of 20 requests. */
const OPENINGS = settings['flood-gate.max-requests'].default / 20;
const WINDOW_SECONDS = settings['flood-gate.window-seconds'].default;

const ATTACKED_PATH = '/admin/auth/captcha';
const FLOODING_ADDRESSES = 20;

/** Requests of a flood under way at once. */
const IN_FLIGHT = 48;

/** An honest console meanwhile. */
const PAGE = 6;
const PAGE_PAUSE_MILLIS = 500;

/** One client of one node. It has an address of its own. */
interface Client {
  readonly key: ServiceKey;
  readonly token: string;
  send(path: string, request: ApiRequest): Promise<ApiAnswer>;
  /** Sends a new envelope. */
  read(path: string, aheadMillis?: number): Promise<ApiAnswer>;
  /** Loads a page that is left at once: its requests are aborted. */
  leave(path: string, count: number, afterMillis: number): Promise<void>;
}

type Mix = (client: Client) => Promise<readonly ApiAnswer[]>;

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const parallel = (count: number, one: (index: number) => Promise<ApiAnswer>) => Promise.all(times(count, one));

const mixes: Readonly<Record<string, Mix>> = {
  'parallel reads': ({ read }) => parallel(200, () => read('/admin/profile')),
  'a page of 404s, one after another': async ({ read }) => {
    const answers: ApiAnswer[] = [];
    for (let index = 0; index < 120; index += 1) answers.push(await read(`/admin/users/nobody-${index}`));
    return answers;
  },
  'unknown paths, parallel': ({ read }) => parallel(120, (index) => read(`/admin/unknown/${index}`)),
  'clock an hour off, parallel': ({ read }) => parallel(120, () => read('/admin/profile', -3_600_000)),
  'console refreshed twenty times, requests aborted': async ({ read, leave }) => {
    for (let reload = 0; reload < 20; reload += 1) await leave('/admin/profile', 12, reload);
    return parallel(60, () => read('/admin/profile'));
  },
  'consoles of an office for 20 s': async ({ read }) => {
    const answers: ApiAnswer[] = [];
    // 19 requests a second: the rate limit, 1200 in a minute, is not under test.
    for (let page = 0; page < 40; page += 1) {
      const [found] = await Promise.all([parallel(9, () => read('/admin/profile')), sleep(PAGE_PAUSE_MILLIS)]);
      answers.push(...found);
    }
    return answers;
  },
};

interface Flood {
  readonly addresses: number;
  /** The bound of one address, for so many seconds. */
  bound(seconds: number): number;
  /** Makes a request that costs the node an opening. */
  prepare(client: Client): Promise<() => [path: string, request: ApiRequest]>;
}

const perWindow = (seconds: number) => OPENINGS * (Math.ceil(seconds / WINDOW_SECONDS) + 1);
const perMinute = (maximum: number) => (seconds: number) => maximum * (Math.ceil(seconds / 60) + 1);

const forgedQuery: Flood['prepare'] = async ({ key }) => {
  const { path, request } = sealGet(key, '/app/auth/captcha', null, Date.now());
  return () => [path.replace('/app/auth/captcha', ATTACKED_PATH), request];
};

const forgedBody = async ({ key }: Client, path: string, token: string): ReturnType<Flood['prepare']> => {
  const { request } = sealBody(key, '/somewhere', { method: 'POST', token, timestamp: Date.now(), body: {} });
  const headers = { ...request.headers, 'content-type': 'application/json' };
  return () => [path, { method: 'POST', body: request.body!, headers, ...(token !== '' && { token }) }];
};

const floods: Readonly<Record<string, Flood>> = {
  'forged queries': { addresses: 1, bound: perWindow, prepare: forgedQuery },
  'forged queries from many': { addresses: FLOODING_ADDRESSES, bound: perWindow, prepare: forgedQuery },
  'one envelope again and again': {
    addresses: 1,
    bound: (seconds) => perWindow(seconds) + 1,
    async prepare({ key }) {
      const { path, request } = sealGet(key, ATTACKED_PATH, null, Date.now());
      return () => [path, request];
    },
  },
  'forged bodies of sign-ins': {
    addresses: 1,
    bound: perMinute(settings['rate-limit.login.max-requests'].default),
    prepare: (client) => forgedBody(client, '/admin/auth/login', ''),
  },
  'forged bodies with a token': {
    addresses: 1,
    bound: perMinute(settings['rate-limit.max-requests'].default),
    prepare: (client) => forgedBody(client, '/admin/payments', client.token),
  },
};

/** ORD-6, ORD-3: at settings as shipped, no honest mix is refused, and what a flood makes a node open is bounded. */
export const ord6: Scenario = {
  name: 'ord-6',
  meaning: 'honest mixes and floods of forged envelopes against the flood gate as shipped; --seconds 10',
  stores: ['postgres'],
  async run(site, { seconds }) {
    const shared = await startSharedFleet(site, {
      environment: shippedLimits,
    });
    try {
      const key = await readServiceKey(shared.origins[0]);
      const findings: Finding[] = [];
      for (const name of Object.keys(mixes)) findings.push(await runMix(site, shared, key, name));
      for (const name of Object.keys(floods)) findings.push(await runFlood(site, shared, key, name, seconds));
      return findings;
    } finally {
      await shared.close();
    }
  },
};

let lastAddress = 0;

function createClient({ origins: [origin], token }: SharedFleet, key: ServiceKey): Client {
  lastAddress += 1;
  const from = `198.51.100.${lastAddress}`;
  const addressed = ({ headers, ...request }: ApiRequest) => ({
    ...request,
    headers: { ...headers, 'x-forwarded-for': from },
  });
  const seal = (path: string, aheadMillis: number) => sealGet(key, path, token, Date.now() + aheadMillis);
  return {
    key,
    token,
    send: (path, request) => callApi(origin, path, addressed(request)),
    read(path, aheadMillis = 0) {
      const copy = seal(path, aheadMillis);
      return callApi(origin, copy.path, addressed(copy.request));
    },
    async leave(path, count, afterMillis) {
      const abort = new AbortController();
      const page = times(count, () => {
        const copy = seal(path, 0);
        const headers = { ...addressed(copy.request).headers, authorization: `Bearer ${token}` };
        return fetch(origin + copy.path, { headers, signal: abort.signal }).catch(() => null);
      });
      await sleep(afterMillis);
      abort.abort();
      await Promise.all(page);
    },
  };
}

const isLimited = ({ status }: ApiAnswer) => status === 429;

async function runMix(site: Site, shared: SharedFleet, key: ServiceKey, name: string): Promise<Finding> {
  site.say(name);
  const client = createClient(shared, key);
  const answers = await mixes[name]!(client);
  // A client that was shut out is refused afterwards, too.
  const all = [...answers, await client.read('/admin/profile')];
  const refused = all.filter(isLimited).length;
  const lost = all.filter(({ status }) => status === 0 || status >= 500).length;
  const violations: Violation[] = [];
  if (refused > 0) violations.push({ kind: 'refused', key: name, detail: `${refused} of ${all.length}` });
  if (lost > 0) violations.push({ kind: 'refused', key: name, detail: `${lost} of ${all.length} without an answer` });
  const slowestMillis = Math.round(Math.max(...all.map(({ millis }) => millis)));
  return findingOf(site, name, all.length, slowestMillis, `${refused} refused`, violations);
}

async function runFlood(
  site: Site,
  shared: SharedFleet,
  key: ServiceKey,
  name: string,
  seconds: number,
): Promise<Finding> {
  site.say(name);
  const { addresses, bound, prepare } = floods[name]!;
  const attackers = await Promise.all(
    times(addresses, async () => {
      const client = createClient(shared, key);
      return { client, next: await prepare(client) };
    }),
  );
  const honest = createClient(shared, key);
  const pages: ApiAnswer[] = [];
  let sent = 0;
  let opened = 0;
  const began = performance.now();
  const isOver = () => performance.now() - began > seconds * 1000;
  const flood = async () => {
    while (!isOver()) {
      const { client, next } = attackers[sent % addresses]!;
      sent += 1;
      const answer = await client.send(...next());
      if (answer.status !== 0 && !isLimited(answer)) opened += 1;
    }
  };
  const browse = async () => {
    while (!isOver()) {
      pages.push(...(await parallel(PAGE, () => honest.read('/admin/profile'))));
      await sleep(PAGE_PAUSE_MILLIS);
    }
  };
  await Promise.all([...times(IN_FLIGHT, flood), browse()]);
  const took = (performance.now() - began) / 1000;
  const most = bound(took) * addresses;
  const refused = pages.filter(({ status }) => status !== 200).length;
  const violations: Violation[] = [];
  if (opened > most)
    violations.push({ kind: 'bound-exceeded', key: name, detail: `${opened} opened, ${most} allowed` });
  if (refused > 0) violations.push({ kind: 'refused', key: name, detail: `${refused} of ${pages.length} honest` });
  const slowestMillis = Math.round(Math.max(...pages.map(({ millis }) => millis)));
  const rates = `${(sent / took).toFixed(0)}/s offered, ${(opened / took).toFixed(1)}/s opened of ${addresses} addresses`;
  const measured = `${rates} (${opened} of ${most}); honest ${pages.length}, ${refused} refused`;
  return findingOf(site, name, sent, slowestMillis, measured, violations);
}

function findingOf(
  { store }: Site,
  fault: string,
  attempts: number,
  slowestMillis: number,
  measured: string,
  violations: readonly Violation[],
): Finding {
  const none = { keys: 0, acknowledged: 0, submitted: 0, unknown: 0, rows: 0 };
  return { ...none, scenario: 'ORD-6', store, fault, times: 1, attempts, slowestMillis, measured, violations };
}
