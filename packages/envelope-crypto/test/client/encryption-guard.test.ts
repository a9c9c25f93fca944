import { describe, expect, it } from 'vitest';
import { createEnvelopeClient, type EnvelopeClientOptions } from '../../src/client/index.js';
import { createSmallService } from './hostile/small-service.js';

const json = { 'content-type': 'application/json' };

let stages = 0;

/** A service whose bootstrap a test changes, and what left for it. Clients of one base URL share what was sealed. */
function createStage() {
  const baseUrl = `https://service-${++stages}.test`;
  const service = createSmallService('k');
  const sent: string[] = [];
  let change: object = {};
  const fetch = (async (url: string, init: RequestInit = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    const target = url.slice(baseUrl.length);
    const isBootstrap = target === '/encryption/public-key';
    if (!isBootstrap) sent.push(`${headers['api-encryption'] ?? 'clear'} ${target.split('?')[0]}`);
    const answer = service.answer({ method: init.method ?? 'GET', target, headers, body: String(init.body ?? '') });
    if (!isBootstrap) return new Response(answer.body, answer);
    return Response.json({ data: { ...JSON.parse(answer.body).data, ...change } });
  }) as typeof globalThis.fetch;
  return {
    ...{ service, sent, fetch, baseUrl },
    /** What the bootstrap says from now on. */
    say(next: object) {
      change = next;
    },
    connect: (options: Partial<EnvelopeClientOptions> = {}) => createEnvelopeClient({ baseUrl, fetch, ...options }),
  };
}

/** An answer that has the bootstrap read again. */
const REJECTED = { status: 400, headers: json };
const rejectOnce = (fetch: typeof globalThis.fetch) => {
  let rejections = 0;
  return {
    rejectNext() {
      rejections = 1;
    },
    fetch: (async (input: string, init: RequestInit = {}) => {
      if (rejections === 0 || input.endsWith('/encryption/public-key')) return fetch(input, init);
      rejections -= 1;
      await fetch(input, init);
      return new Response('{"code":"ENVELOPE_REJECTED"}', REJECTED);
    }) as typeof globalThis.fetch,
  };
};

/** Holds back the first answer of the bootstrap endpoint. */
function holdFirstBootstrap(fetch: typeof globalThis.fetch) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  const holding = (async (input: string, init?: RequestInit) => {
    const answer = await fetch(input, init);
    if (input.endsWith('/encryption/public-key') && ++reads === 1) await held;
    return answer;
  }) as typeof globalThis.fetch;
  return { holding, release };
}

describe('ENV-9 mode OFF', () => {
  it('ENV-9 is accepted by default before anything was sealed, which the README says', async () => {
    const { connect, say, sent } = createStage();
    say({ mode: 'OFF' });
    expect((await connect().fetch('/pay')).status).toBe(200);
    expect(sent).toEqual(['clear /pay']);
  });

  it('ENV-9 is a downgrade from the first request on with requireEncryption, and nothing is sent', async () => {
    const { connect, say, sent } = createStage();
    say({ mode: 'OFF' });
    const client = connect({ requireEncryption: true });
    const downgrade = { name: 'EnvelopeClientError', code: 'ENCRYPTION_DOWNGRADE' };
    await expect(client.fetch('/pay', { method: 'POST', body: '{}' })).rejects.toMatchObject(downgrade);
    await expect(client.bootstrap()).rejects.toMatchObject(downgrade);
    client.resetEncryption();
    await expect(client.fetch('/pay')).rejects.toMatchObject(downgrade);
    expect(sent).toEqual([]);
    // The lie is not kept.
    say({});
    expect((await client.fetch('/pay')).status).toBe(200);
    expect(sent).toEqual(['v1 /pay']);
  });

  it('ENV-9 is a downgrade once a request was sealed, until the application resets it', async () => {
    const { connect, say, sent, fetch } = createStage();
    const through = rejectOnce(fetch);
    const client = connect({ fetch: through.fetch });
    await client.fetch('/pay');
    through.rejectNext();
    await client.fetch('/pay');
    say({ mode: 'OFF' });
    for (let i = 0; i < 3; i++) {
      await expect(client.fetch('/pay')).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    }
    expect(sent).toEqual(['v1 /pay', 'v1 /pay']);
    client.resetEncryption();
    expect((await client.fetch('/pay')).status).toBe(200);
    expect(sent.at(-1)).toBe('clear /pay');
  });

  it('ENV-9 after a forged ENVELOPE_KEY_UNKNOWN reaches the caller as the downgrade that it is', async () => {
    const { connect, say, sent, fetch } = createStage();
    const forging = (async (input: string, init?: RequestInit) => {
      if (input.endsWith('/encryption/public-key')) return fetch(input, init);
      await fetch(input, init);
      say({ mode: 'OFF' });
      return new Response('{"code":"ENVELOPE_KEY_UNKNOWN"}', REJECTED);
    }) as typeof globalThis.fetch;
    const sending = connect({ fetch: forging }).fetch('/pay', { method: 'POST', body: '{}' });
    await expect(sending).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    expect(sent).toEqual(['v1 /pay']);
  });

  it('ENV-9 is a downgrade in an answer that was held back until another request was sealed', async () => {
    const { say, connect, sent, fetch } = createStage();
    const { holding, release } = holdFirstBootstrap(fetch);
    const client = connect({ fetch: holding });
    say({ mode: 'OFF' });
    const first = client.fetch('/one');
    await new Promise(setImmediate);
    client.resetEncryption();
    say({});
    await client.fetch('/two');
    release();
    await expect(first).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    expect(sent).toEqual(['v1 /two']);
  });

  it.each([
    ['the same text', ''],
    ['a slash at the end', '/'],
  ])('ENV-9 is a downgrade for every client of a base URL once one has sealed a request: %s', async (_, end) => {
    const { connect, say, sent, baseUrl } = createStage();
    await connect().fetch('/pay');
    say({ mode: 'OFF' });
    const second = connect({ baseUrl: baseUrl + end });
    await expect(second.fetch('/pay')).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    expect(sent).toEqual(['v1 /pay']);
    // Another path may be another service behind the same proxy.
    const other = connect({ baseUrl: `${baseUrl}/other` });
    await expect(other.bootstrap()).rejects.toMatchObject({ code: 'BOOTSTRAP_FAILED' });
  });

  it('ENV-9 that one client believed is not kept when another one seals', async () => {
    const { connect, say, sent } = createStage();
    const [first, second] = [connect(), connect()];
    say({ mode: 'OFF' });
    await first.fetch('/one');
    say({});
    await second.fetch('/two');
    await expect(first.fetch('/three')).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    await first.fetch('/four');
    expect(sent).toEqual(['clear /one', 'v1 /two', 'v1 /four']);
  });

  it('ENV-9 is accepted by every client of a base URL after one of them resets it', async () => {
    const { connect, say, sent } = createStage();
    const [first, second] = [connect(), connect()];
    await first.fetch('/one');
    await second.fetch('/two');
    say({ mode: 'OFF' });
    first.resetEncryption();
    await second.fetch('/three');
    await first.fetch('/four');
    expect(sent).toEqual(['v1 /one', 'v1 /two', 'clear /three', 'clear /four']);
  });

  it('ENV-9 stays accepted when a request that began before the reset is sealed after it', async () => {
    const { connect, say, sent, fetch } = createStage();
    const { holding, release } = holdFirstBootstrap(fetch);
    const client = connect({ fetch: holding });
    const early = client.fetch('/early');
    await new Promise(setImmediate);
    client.resetEncryption();
    release();
    await early;
    say({ mode: 'OFF' });
    await client.fetch('/late');
    expect(sent).toEqual(['v1 /early', 'clear /late']);
  });
});

describe('ENV-9 trusted keys', () => {
  it('ENV-9 refuse another key before anything is sealed for it, and OFF as well', async () => {
    const { connect, say, sent, service } = createStage();
    const { publicKey: other } = createSmallService('other');
    const client = connect({ trustedKeys: [service.publicKey] });
    say({ publicKey: other });
    const untrusted = { name: 'EnvelopeClientError', code: 'SERVER_KEY_UNTRUSTED' };
    await expect(client.fetch('/pay')).rejects.toMatchObject(untrusted);
    await expect(client.bootstrap()).rejects.toMatchObject(untrusted);
    say({ mode: 'OFF' });
    await expect(client.fetch('/pay')).rejects.toMatchObject({ code: 'ENCRYPTION_DOWNGRADE' });
    expect(sent).toEqual([]);
    say({});
    expect((await client.fetch('/pay')).status).toBe(200);
    const rotating = connect({ trustedKeys: [other, service.publicKey] });
    expect((await rotating.fetch('/pay')).status).toBe(200);
    const explicit = connect({ trustedKeys: [service.publicKey], requireEncryption: false });
    explicit.resetEncryption();
    say({ mode: 'OFF' });
    expect((await explicit.fetch('/pay')).status).toBe(200);
  });

  it.each([
    ['none', []],
    ['no list', '04'],
    ['a short one', ['04ff']],
    ['one that is no point of the curve', [`04${'1'.repeat(128)}`]],
  ])('ENV-9 are checked when the client is made: %s', (_, trustedKeys) => {
    const { connect } = createStage();
    expect(() => connect({ trustedKeys: trustedKeys as string[] })).toThrow(
      /trustedKeys must be a list of public keys/,
    );
  });
});

describe('ENV-9 the message of a downgrade', () => {
  it('ENV-9 names resetEncryption() only where that helps', async () => {
    const { connect, say, service } = createStage();
    const required = /OFF; requireEncryption or trustedKeys forbid that$/;
    const sealed = connect();
    await sealed.fetch('/pay');
    say({ mode: 'OFF' });
    await expect(connect().fetch('/pay')).rejects.toThrow(/OFF; if that was planned, call resetEncryption\(\)$/);
    await expect(connect({ requireEncryption: true }).fetch('/pay')).rejects.toThrow(required);
    await expect(connect({ trustedKeys: [service.publicKey] }).fetch('/pay')).rejects.toThrow(required);
    sealed.resetEncryption();
    await expect(connect({ requireEncryption: true }).fetch('/pay')).rejects.toThrow(required);
    expect((await connect().fetch('/pay')).status).toBe(200);
  });
});

describe('ENV-9 exempt routes', () => {
  it('ENV-9 come from the application and the four defaults, never from the bootstrap', async () => {
    const { connect, say, sent } = createStage();
    say({ exempt: ['/pay', '/pay GET', '/*', '/'] });
    const client = connect({ bypass: ['/files/:id GET'], requireEncryption: true });
    for (const path of ['/pay', '/files/7', '/actuator/health', '/public/storage/preview?id=1'])
      await client.fetch(path);
    expect(sent).toEqual(['v1 /pay', 'clear /files/7', 'clear /actuator/health', 'clear /public/storage/preview']);
  });

  it('ENV-9 OPTIONAL seals everything else', async () => {
    const { connect, say, sent } = createStage();
    say({ mode: 'OPTIONAL' });
    await connect().fetch('/pay');
    expect(sent).toEqual(['v1 /pay']);
  });
});

describe('ENV-9 limits of a bootstrap', () => {
  it('ENV-9 that were forged do not outlive the attack', async () => {
    const { connect, say } = createStage();
    let now = Date.now();
    say({ maxPayloadBytes: 1, maxQueryBytes: 1 });
    const client = connect({ now: () => now });
    const post = () => client.fetch('/pay', { method: 'POST', body: '{"a":1}' });
    await expect(post()).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    say({});
    await expect(post()).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    now += 61_000;
    await expect(post()).rejects.toMatchObject({ code: 'REQUEST_TOO_LARGE' });
    expect((await post()).status).toBe(200);
  });

  it.each([
    { timestampWindowSeconds: 86_401 },
    { timestampWindowSeconds: -1 },
    { maxPayloadBytes: 16_777_217 },
    { maxQueryBytes: 4097 },
  ])('ENV-9 that no service can have are refused: %o', async (change) => {
    const { connect, say, sent } = createStage();
    say(change);
    await expect(connect().fetch('/pay')).rejects.toMatchObject({ code: 'BOOTSTRAP_FAILED' });
    expect(sent).toEqual([]);
  });
});

describe('ENV-9 options that would lead a request elsewhere', () => {
  it.each([
    ['bootstrapPath', '//attacker.test/key'],
    ['bootstrapPath', '/\\attacker.test/key'],
    ['bootstrapPath', '/a POST'],
    ['bootstrapPath', '/:anything'],
    ['bootstrapPath', '/key?a=1'],
    ['bootstrapPath', '/'],
    ['baseUrl', 'https://user:password@service.test'],
    ['baseUrl', 'https://user@service.test/path'],
  ])('ENV-9 are refused: %s %s', (name, value) => {
    const { connect } = createStage();
    expect(() => connect({ [name]: value })).toThrow(new RegExp(`${name} must be`));
  });

  it('ENV-9 a base path may have any character that a path has', () => {
    const { connect, baseUrl } = createStage();
    expect(() => connect({ baseUrl: `${baseUrl}/@scope/api`, bootstrapPath: '/v1/key.json' })).not.toThrow();
  });
});
