// Counts the Redis commands and round trips of one request of each kind.
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Round trips are those that a request waits for, one after the other. Commands that leave before the answer to another
 * one has come share a round trip with it.
 * @typedef {{ readonly roundTrips: number, readonly commands: readonly string[] }} Asked
 * @typedef {{ readonly route: string } & Asked} RouteRoundTrips
 * @typedef {{ readonly method: 'GET' | 'POST' | 'PUT', readonly url: string, readonly payload?: object | Buffer,
 * readonly headers?: Record<string, string>, readonly remoteAddress?: string }} Call
 * @typedef {{ statusCode: number, body: string, json(): any }} Answer
 */

/** The marks of the nonces and of the sessions, which the server looks at every second, in the background. */
const MARK = /(?:replay:|session-)mark$/;

/** @param {import('ioredis').Command} command */
function isBeat({ name, args }) {
  return name.startsWith('eval') && String(args[1]) === '1' && MARK.test(String(args[2]));
}

/**
 * How long answers are held back, in turns of the event loop. What a request asks side by side may leave a turn or two
 * apart, and Redis on the same machine may answer between them.
 */
const ANSWER_TURNS = 8;

/**
 * Records every command that an ioredis client and its later duplicates send from now on, without the looks at marks,
 * and holds the answers back.
 * @param {import('ioredis').Redis} client
 * @returns {() => Asked} what was sent since the last call
 */
export function countRoundTrips(client) {
  /** @type {string[]} */
  let commands = [];
  // The longest chain of commands of which each left after the answer to the one before it.
  let roundTrips = 0;
  let answered = 0;
  watch(client);

  /** @param {import('ioredis').Redis} watched */
  function watch(watched) {
    const send = watched.sendCommand.bind(watched);
    watched.sendCommand = function noteCommand(command, stream) {
      if (isBeat(command)) return send(command, stream);
      const place = answered + 1;
      roundTrips = Math.max(roundTrips, place);
      const { resolve } = command;
      command.resolve = async (/** @type {unknown} */ answer) => {
        for (let turn = 0; turn < ANSWER_TURNS; turn += 1) await nextTurn();
        answered = Math.max(answered, place);
        resolve(answer);
      };
      commands.push(command.name);
      return send(command, stream);
    };
    const duplicate = watched.duplicate.bind(watched);
    watched.duplicate = (...options) => watch(duplicate(...options));
    return watched;
  }

  return function take() {
    const asked = { roundTrips, commands };
    commands = [];
    roundTrips = 0;
    answered = 0;
    return asked;
  };
}

/** @param {string} key */
const isOfActivity = (key) => key.startsWith('activity:');

/**
 * Lets sessions go by the clock of this process, which can be moved on. The server asks for the time of Redis in the
 * background, every ten seconds at most, so that this is no round trip of any request.
 * @template {{ readonly sessions: object, readonly rateLimits: object | null }} Stores
 * @param {Stores} stores
 * @returns {Stores}
 */
export function withOwnTime(stores) {
  const { increment, get, compareAndSet } = stores.sessions;
  const sessions = {
    ...stores.sessions,
    time: async () => Date.now(),
    // The counts of activity are written once a second, within whatever request is under way.
    increment: async (key, ...rest) => (isOfActivity(key) ? { value: 1, remainingMillis: 1 } : increment(key, ...rest)),
    get: async (key) => (isOfActivity(key) ? null : get(key)),
    compareAndSet: async (key, ...rest) => isOfActivity(key) || compareAndSet(key, ...rest),
  };
  return { ...stores, sessions, rateLimits: stores.rateLimits && sessions };
}

/**
 * Sends one request of each kind, and returns its Redis commands and round trips, or what `take` counts.
 * @template {object} Counts
 * @param {object} server
 * @param {(call: Call) => PromiseLike<Answer>} server.inject
 * @param {() => Counts} server.take what was counted since the last call, such as by {@link countRoundTrips} of the
 * client that the server uses
 * @param {{ username: string, password: string, terminal: string }} server.credentials of an administrator who may do
 * everything
 * @param {(call: Call) => Call} server.seal puts a call into an envelope, stamped by the clock of Redis
 * @param {(millis: number) => void} server.moveOn moves the clock of the server on
 * @returns {Promise<({ readonly route: string } & Counts)[]>}
 */
export async function measureRoundTrips({ inject, take, credentials, seal, moveOn }) {
  /** @type {({ readonly route: string } & Counts)[]} */
  const rows = [];

  /** @param {number} expected @param {Call} call */
  async function prepare(expected, call) {
    const answer = await inject(call);
    if (answer.statusCode !== expected) throw new Error(`${call.url} was answered ${answer.statusCode} ${answer.body}`);
    return answer.body === '' ? null : answer.json().data;
  }

  /** @param {string} route @param {number} expected @param {Call} call */
  async function measure(route, expected, call) {
    take();
    const data = await prepare(expected, call);
    rows.push({ route, ...take() });
    return data;
  }

  // Warm-up: a client sends each script in full until Redis knows it.
  const signIn = { method: /** @type {const} */ ('POST'), url: '/admin/auth/login', payload: credentials };
  const { token } = await prepare(200, signIn);
  await prepare(200, signIn);
  const headers = { authorization: `Bearer ${token}` };
  /** @type {Call} */
  const profile = { method: 'GET', url: '/admin/profile', headers };
  /** @type {Call} */
  const rename = { method: 'PUT', url: '/admin/profile', headers, payload: { displayName: 'Administrator' } };
  const pay = () => ({
    method: /** @type {const} */ ('POST'),
    url: '/admin/payments',
    payload: { payee: 'A', amount: '1.00' },
    headers: { ...headers, 'idempotency-key': randomUUID() },
  });
  await prepare(200, seal(profile));
  const listPayments = { ...profile, url: '/admin/payments' };
  // Permissions are kept once their version is set, which the first request that needs one begins.
  await prepare(200, listPayments);
  const countOfList = async () => {
    take();
    await prepare(200, listPayments);
    return JSON.stringify(take());
  };
  const unkept = await countOfList();
  for (let attempt = 0; attempt < 250 && (await countOfList()) === unkept; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const noTicket = 'A'.repeat(43);
  await prepare(403, { method: 'GET', url: `/public/storage/download?id=${randomUUID()}&ticket=${noTicket}` });

  await measure('GET /actuator/health/liveness', 200, { method: 'GET', url: '/actuator/health/liveness' });
  await measure('GET /encryption/public-key', 200, { method: 'GET', url: '/encryption/public-key' });
  await measure('GET /admin/auth/captcha', 200, { method: 'GET', url: '/admin/auth/captcha' });
  await measure('GET /admin/profile', 200, profile);
  moveOn(61_000);
  await measure('GET /admin/profile, first in a minute', 200, profile);
  // A node knows a session as it was read last. The activity that was just written makes it another one.
  await prepare(200, profile);
  await measure('GET /admin/profile, in an envelope', 200, seal(profile));
  await measure('PUT /admin/profile', 200, rename);
  await measure('PUT /admin/profile, in an envelope', 200, seal(rename));
  // They may have been kept for so long that they are loaded again.
  await prepare(200, listPayments);
  await measure('GET /admin/payments', 200, listPayments);
  await measure('POST /admin/payments', 201, pay());
  await measure('POST /admin/payments, in an envelope', 201, seal(pay()));
  await measure('GET /admin/unknown', 404, { ...profile, url: '/admin/unknown' });
  await measure('GET /admin/profile, forged token', 401, {
    ...profile,
    headers: { authorization: 'Bearer e30.e30.e30' },
  });
  await measure('POST /admin/auth/login', 200, signIn);
  const nobody = { ...credentials, username: randomUUID() };
  await measure('POST /admin/auth/login, wrong', 401, { ...signIn, payload: nobody });

  await prepare(200, profile);
  const purpose = { purpose: 'storage:download', resource: randomUUID() };
  const { ticket } = await measure('POST /auth/tickets', 201, {
    method: 'POST',
    url: '/auth/tickets',
    headers,
    payload: purpose,
  });
  const download = {
    method: /** @type {const} */ ('GET'),
    url: `/public/storage/download?id=${purpose.resource}&ticket=${ticket}`,
  };
  await measure('GET /public/storage/download', 404, download);

  const sendCode = (/** @type {string} */ mobile) => ({
    method: /** @type {const} */ ('POST'),
    url: '/app/auth/sendSmsCode',
    payload: { mobile },
  });
  await prepare(202, sendCode('+8613400000001'));
  const mobile = '+8613400000002';
  await measure('POST /app/auth/sendSmsCode', 202, sendCode(mobile));
  const smsCode = await outboxCode(prepare, mobile);
  const signInToApp = {
    method: /** @type {const} */ ('POST'),
    url: '/app/auth/login',
    payload: { mobile, smsCode, terminal: 'app' },
  };
  await measure('POST /app/auth/login', 200, signInToApp);
  await measure('POST /auth/logout', 204, { method: 'POST', url: '/auth/logout', headers });
  await measure('GET /admin/profile, ended session', 401, profile);

  const fromElsewhere = { ...signIn, payload: nobody, remoteAddress: '198.51.100.7' };
  while ((await inject(fromElsewhere)).statusCode !== 429);
  await measure('POST /admin/auth/login, limited', 429, fromElsewhere);
  return rows;
}

/**
 * Formats the table as it appears in the README.
 * @param {readonly RouteRoundTrips[]} rows
 */
export function roundTripTable(rows) {
  const width = Math.max(...rows.map(({ route }) => route.length));
  const cells = rows.map(
    ({ route, roundTrips, commands }) =>
      `| ${route.padEnd(width)} | ${String(roundTrips).padStart(11)} | ${String(commands.length).padStart(8)} |`,
  );
  const rule = `| ${'-'.repeat(width)} | ${'-'.repeat(10)}: | ${'-'.repeat(7)}: |`;
  return [`| ${'request'.padEnd(width)} | round trips | commands |`, rule, ...cells].join('\n');
}

/** @param {(expected: number, call: Call) => Promise<any>} prepare @param {string} mobile */
async function outboxCode(prepare, mobile) {
  for (;;) {
    const messages = await prepare(200, { method: 'GET', url: `/dev/sms-outbox?mobile=${encodeURIComponent(mobile)}` });
    if (messages.length > 0) return messages[0].code;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
