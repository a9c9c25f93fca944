/** A request as it is on the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer as it is on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What an attacker knows when he forges. */
export interface Knowledge {
  /** The `data` of the real bootstrap. */
  readonly bootstrap: Readonly<Record<string, unknown>>;
  /** The public key of the attacker's own pair. */
  readonly ownKey: string;
  /** The last sealed answer that passed, or null. */
  readonly lastSealed: WireAnswer | null;
  /** An origin that he listens at. */
  readonly ownOrigin: string;
}

/** Ways to let a client wait for ever: nothing comes, or a byte now and then. */
export type Stall = 'no answer' | 'trickle';

/** What the client gets. Null closes the connection. */
export type Forged = WireAnswer | Stall | null;

export interface Forgery {
  readonly name: string;
  forge(knowledge: Knowledge): Forged;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const DAY_MILLIS = 86_400_000;

const answer = (status: number, value: unknown, headers: Record<string, string> = JSON_TYPE): WireAnswer => ({
  status,
  headers,
  body: typeof value === 'string' ? value : JSON.stringify(value),
});

const problem = (code: string, status = 400, more: object = {}) =>
  answer(status, { status, code, title: code, ...more }, { 'content-type': 'application/problem+json' });

/** A bootstrap whose `data` differs from the real one. */
function described(name: string, change: (knowledge: Knowledge) => unknown): Forgery {
  return {
    name,
    forge(knowledge) {
      const changed = change(knowledge);
      const isWhole = typeof changed !== 'object' || changed === null || Array.isArray(changed);
      return answer(200, { data: isWhole ? changed : { ...knowledge.bootstrap, ...changed } });
    },
  };
}

const said = (name: string, status: number, value: unknown, headers?: Record<string, string>): Forgery => ({
  name,
  forge: () => answer(status, value, headers),
});

const redirects = (statuses: readonly number[]): Forgery[] =>
  statuses.flatMap((status) => [
    { name: `${status} to another path`, forge: () => answer(status, '', { location: '/actuator/health' }) },
    {
      name: `${status} to the attacker`,
      forge: ({ ownOrigin }) => answer(status, '', { location: `${ownOrigin}/collect` }),
    },
  ]);

const closed: Forgery = { name: 'connection closed', forge: () => null };

const stalls = (['no answer', 'trickle'] as const).map((stall): Forgery => ({ name: stall, forge: () => stall }));

/** Whether a client has to give up by itself. */
export const isStall = (forgery: Forgery | null): boolean => forgery !== null && stalls.includes(forgery);

/** Every kind of forged bootstrap. A kind that is added here is tried at every step and with every setting. */
export const forgedBootstraps: readonly Forgery[] = [
  { name: 'OFF', forge: () => answer(200, { data: { mode: 'OFF', serverTime: Date.now() } }) },
  described('OFF beside the real key', () => ({ mode: 'OFF' })),
  described("OFF beside the attacker's key", ({ ownKey }) => ({ mode: 'OFF', publicKey: ownKey })),
  described('OFF, another version', () => ({ mode: 'OFF', version: 2 })),
  described('off in lower case', () => ({ mode: 'off' })),
  described('a list that says OFF', () => ({ mode: ['OFF'] })),
  described('no mode', () => ({ mode: undefined })),
  said('OFF by __proto__', 200, '{"data":{"__proto__":{"mode":"OFF"},"serverTime":1}}'),
  said('OFF twice', 200, '{"data":{"mode":"REQUIRED","mode":"OFF","serverTime":1}}'),
  described("the attacker's key, new id", ({ ownKey }) => ({ publicKey: ownKey, keyId: 'attacker' })),
  described("the attacker's key, real id", ({ ownKey }) => ({ publicKey: ownKey })),
  described("the attacker's key, OPTIONAL", ({ ownKey }) => ({ mode: 'OPTIONAL', publicKey: ownKey, keyId: 'x' })),
  described("the attacker's key in capitals", ({ ownKey }) => ({ publicKey: ownKey.toUpperCase() })),
  described('the real key, new id', () => ({ keyId: 'another' })),
  described('a key that is no point', () => ({ publicKey: `04${'1'.repeat(128)}` })),
  described('no key', () => ({ publicKey: undefined, keyId: undefined })),
  described('every path exempt', () => ({
    exempt: ['/', '/*', '/echo', '/admin/payments POST', '/admin/profile GET'],
  })),
  described('every path exempt, OPTIONAL', () => ({ mode: 'OPTIONAL', exempt: ['/echo', '/admin/payments'] })),
  described('time 0', () => ({ serverTime: 0 })),
  described('time 23 hours ahead', () => ({ serverTime: Date.now() + 23 * 3_600_000 })),
  described('time two days ahead', () => ({ serverTime: Date.now() + 2 * DAY_MILLIS })),
  described('time without end', () => ({ serverTime: Number.MAX_SAFE_INTEGER })),
  described('time as a text', () => ({ serverTime: 'now' })),
  described('window 0', () => ({ timestampWindowSeconds: 0 })),
  described('window of ages', () => ({ timestampWindowSeconds: 1e15 })),
  described('limits 0', () => ({ maxPayloadBytes: 0, maxQueryBytes: 0 })),
  described('limits of a byte', () => ({ maxPayloadBytes: 1, maxQueryBytes: 1 })),
  described('limits without end', () => ({ maxPayloadBytes: 2 ** 50, maxQueryBytes: 2 ** 50 })),
  described('another suite', () => ({ suite: 'none' })),
  described('another version', () => ({ version: 0 })),
  described('data null', () => null),
  described('data a list', () => []),
  said('no data', 200, {}),
  said('no JSON', 200, 'OFF'),
  said('nothing', 200, ''),
  said('a page', 200, '<html>OFF</html>', { 'content-type': 'text/html' }),
  said('204', 204, '', {}),
  said('401', 401, problem('AUTH_UNAUTHENTICATED', 401).body),
  said('404', 404, { data: { mode: 'OFF', serverTime: 1 } }),
  said('503', 503, { data: { mode: 'OFF', serverTime: 1 } }),
  ...redirects([302, 307]),
  closed,
  ...stalls,
];

const coded = (code: string, status?: number, more?: () => object): Forgery => ({
  name: code + (more === undefined ? '' : ` ${JSON.stringify(Object.keys(more()))}`),
  forge: () => problem(code, status, more?.()),
});

const forgedData = { data: { forged: true } };
const ENVELOPE = { 'api-encryption': 'v1', ...JSON_TYPE };
const EMPTY_ENVELOPE = { ts: Date.now(), nonce: 'A'.repeat(22), iv: 'A'.repeat(16), ct: 'A'.repeat(22) };

/** Every kind of forged answer to a request, sealed or not. The request itself goes no further. */
export const forgedAnswers: readonly Forgery[] = [
  coded('ENVELOPE_REQUIRED'),
  coded('ENVELOPE_KEY_UNKNOWN'),
  coded('ENVELOPE_REJECTED'),
  coded('ENVELOPE_EXPIRED_OR_REPLAYED', 400, () => ({ serverTime: Date.now() })),
  { ...coded('ENVELOPE_EXPIRED_OR_REPLAYED', 400, () => ({ serverTime: 0 })), name: 'expired, time 0' },
  {
    ...coded('ENVELOPE_EXPIRED_OR_REPLAYED', 400, () => ({ serverTime: Date.now() + 23 * 3_600_000 })),
    name: 'expired, time 23 hours ahead',
  },
  {
    ...coded('ENVELOPE_EXPIRED_OR_REPLAYED', 400, () => ({ serverTime: Date.now() + 3 * DAY_MILLIS })),
    name: 'expired, time three days ahead',
  },
  coded('ENVELOPE_VERSION_UNSUPPORTED'),
  coded('ENVELOPE_MALFORMED'),
  coded('ENVELOPE_TOO_LARGE', 413),
  coded('ENVELOPE_KEY_UNAVAILABLE', 503),
  coded('ENCRYPTION_OFF'),
  coded('AUTH_UNAUTHENTICATED', 401),
  coded('TOO_MANY_REQUESTS', 429),
  said('500 that says OFF', 500, { mode: 'OFF', data: { mode: 'OFF' } }),
  said('200 in the clear', 200, forgedData),
  said('200 as +json', 200, forgedData, { 'content-type': 'application/vnd.api+json' }),
  said('200 as text', 200, forgedData, { 'content-type': 'text/plain' }),
  said('200 without a type', 200, forgedData, {}),
  said('201 in the clear', 201, forgedData),
  said('204', 204, '', {}),
  said('200, an envelope of nothing', 200, EMPTY_ENVELOPE, ENVELOPE),
  said('200, plaintext called an envelope', 200, forgedData, ENVELOPE),
  said('200, another version', 200, forgedData, { ...JSON_TYPE, 'api-encryption': 'v0' }),
  said('200, the header empty', 200, forgedData, { ...JSON_TYPE, 'api-encryption': '' }),
  { name: 'an earlier answer again', forge: ({ lastSealed }) => lastSealed ?? answer(200, forgedData) },
  {
    name: 'an earlier answer without its header',
    forge: ({ lastSealed }) => answer(200, lastSealed?.body ?? forgedData),
  },
  ...redirects([301, 302, 303, 307, 308]),
  closed,
  ...stalls,
];
