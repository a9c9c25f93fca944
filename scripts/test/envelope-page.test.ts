import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import {
  hkdfSm3,
  hmacSm3,
  randomSm2Scalar,
  sm2Encrypt,
  sm2Open,
  sm2PublicKey,
  sm4GcmOpen,
  sm4GcmSeal,
} from '../../packages/envelope-crypto/src/gm/index.js';
import * as envelopeCrypto from '../../packages/envelope-crypto/src/index.js';
import { DEFAULT_BYPASS_ROUTES, MAX_QUERY_BYTES } from '../../packages/envelope-crypto/src/wire/index.js';
import { replayGuard } from '../../packages/replay-guard/src/index.js';
import { createMemoryStore } from '../../packages/ttl-store/src/memory/index.js';

const page = readFileSync(new URL('../../docs/envelope-v1.md', import.meta.url), 'utf8');

/** The text between two headings. */
function section(title: string): string {
  const start = page.indexOf(`\n## ${title}\n`);
  const end = page.indexOf('\n## ', start + 1);
  return page.slice(start, end < 0 ? undefined : end);
}

/** The lines of the worked example, by their labels. `LF` with its spaces is a line feed. */
const example = new Map(
  [...(/```text\n([\s\S]*?)```/.exec(section('A worked example'))?.[1] ?? '').matchAll(/^(\S.*)\n {2}(.*)$/gm)].map(
    ([, label, value]) => [label as string, value as string],
  ),
);

function line(label: string): string {
  const value = example.get(label);
  if (value === undefined) throw new Error(`the example has no line '${label}'`);
  return value;
}

const joined = (text: string) => text.replaceAll(' LF ', '\n').replace(/^LF /, '\n');
const hex = (label: string) => hexToBytes(line(label));
const hexToBytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const bytesToHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const utf8ToBytes = (text: string) => new TextEncoder().encode(text);
const b64u = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');

describe('docs/envelope-v1.md', () => {
  const [method, path] = line('method, path').split(' ') as [string, string];
  const [status, responseTs, responseIv] = line('response: status, ts, iv').split(' ') as [string, string, string];
  const request = JSON.parse(line('body of the request'));
  const response = JSON.parse(line('body of the response'));

  test('API-1 the keys of the example follow from its base key and nonce', () => {
    const nonce = Buffer.from(line('nonce'), 'base64url');
    const derived = (direction: string) =>
      bytesToHex(hkdfSm3(hex('base key'), nonce, utf8ToBytes(`sm2-sm4-gcm-v1|${direction}|2025-11`), 16));
    expect(bytesToHex(hmacSm3(nonce, hex('base key')))).toBe(line('PRK'));
    expect(derived('request')).toBe(line('request key'));
    expect(derived('response')).toBe(line('response key'));
    expect(bytesToHex(sm2PublicKey(hex('private key, kid 2025-11')))).toBe(line('public key'));
  });

  test('API-1 the request of the example follows from its lines, and opens', () => {
    const { ts, nonce } = request;
    const aad = ['v1', 'sm2-sm4-gcm-v1', '2025-11', 'body', line('ts'), line('nonce'), method, path, '-', '-'].join(
      '\n',
    );
    expect(joined(line('authenticated data of the request'))).toBe(aad);
    const plaintext = utf8ToBytes(joined(line('plaintext (LF is one byte)')));
    expect(request).toStrictEqual({
      kid: '2025-11',
      ts: Number(line('ts')),
      nonce: line('nonce'),
      ek: b64u(sm2Encrypt(hex('public key'), hex('base key'), hex('SM2 random k'))),
      iv: b64u(hex('iv')),
      ct: b64u(sm4GcmSeal(hex('request key'), hex('iv'), utf8ToBytes(aad), plaintext)),
    });
    expect([ts, nonce]).toStrictEqual([Number(line('ts')), line('nonce')]);
    const baseKey = sm2Open(hex('private key, kid 2025-11'), Buffer.from(request.ek, 'base64url'));
    expect(baseKey === null ? null : bytesToHex(baseKey)).toBe(line('base key'));
  });

  test('API-1 the response of the example follows from its lines, and opens', () => {
    const aad = ['v1', 'sm2-sm4-gcm-v1', '2025-11', 'response', responseTs, line('nonce'), method, path, status].join(
      '\n',
    );
    expect(joined(line('authenticated data of the response'))).toBe(aad);
    const plaintext = utf8ToBytes(line('plaintext of the response'));
    const iv = hexToBytes(responseIv);
    expect(response).toStrictEqual({
      ts: Number(responseTs),
      nonce: line('nonce'),
      iv: b64u(iv),
      ct: b64u(sm4GcmSeal(hex('response key'), iv, utf8ToBytes(aad), plaintext)),
    });
    const opened = sm4GcmOpen(hex('response key'), iv, utf8ToBytes(aad), Buffer.from(response.ct, 'base64url'));
    expect(opened === null ? null : Buffer.from(opened).toString()).toBe(line('plaintext of the response'));
  });

  test('API-1 its table of refusals has the codes and statuses of the package', () => {
    const documented = [...section('What the server does').matchAll(/^\| (\d{3}) +\| `(ENVELOPE_\w+)`/gm)]
      .map(([, code, name]) => `${code} ${name}`)
      .sort();
    const afterOpening = [
      ...['ENVELOPE_PLAINTEXT_INVALID', 'ENVELOPE_NOT_DELIVERED', 'ENVELOPE_SEALING_FAILED'],
      ...['ENVELOPE_RAW_URL_UNDECLARED', 'ENVELOPE_HIJACK_UNDECLARED'],
    ];
    const thrown = Object.entries(envelopeCrypto)
      .filter(([name]) => /^Envelope\w+Error$/.test(name) && !/Setup/.test(name))
      .map(([, value]) => new (value as new (argument: number) => Error & { code: string; statusCode: number })(0))
      .filter(({ code }) => !afterOpening.includes(code))
      .map(({ code, statusCode }) => `${statusCode} ${code}`)
      .sort();
    expect(documented).toStrictEqual(thrown);
  });

  test('API-1 its table of errors has the codes of both clients', () => {
    const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const documented = [...section('The client').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code as string);
    const thrown = read('packages/envelope-crypto/src/client/errors.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gm);
    expect(documented.sort()).toStrictEqual([...thrown].map(([, code]) => code).sort());

    const java = 'examples/envelope-client-java/src/sallyport/envelope';
    const sources = ['AnswerOpener', 'Bootstrap', 'EnvelopeClient'].map((name) => read(`${java}/${name}.java`)).join();
    // Its requests have no body but JSON.
    const ofJava = documented.filter((code) => code !== 'REQUEST_UNSUPPORTED');
    const thrownByJava = [...sources.matchAll(/EnvelopeException\(\s*"([A-Z_]+)"/g)].map(([, code]) => code as string);
    expect([...new Set(thrownByJava)].sort()).toStrictEqual(ofJava.sort());
  });

  test('API-1 it names the default exempt routes and the maximum of a query', () => {
    for (const route of DEFAULT_BYPASS_ROUTES) {
      expect(section('Modes and exempt routes').replaceAll('\n', ' ').replace(/ +/g, ' ')).toContain(`\`${route}\``);
    }
    expect(section('Bootstrap')).toContain(`${MAX_QUERY_BYTES}, or maxPayloadBytes if that is less`);
  });

  test('API-1 its table of the bootstrap has the members that a service answers', async () => {
    const app = fastify();
    await app.register(envelopeCrypto.envelopeCrypto, {
      mode: 'REQUIRED',
      keyId: 'k',
      privateKey: bytesToHex(randomSm2Scalar()),
    });
    await app.register(replayGuard, { store: createMemoryStore() });
    await app.register(envelopeCrypto.publicKeyRoute);
    const { data } = (await app.inject('/encryption/public-key')).json();
    await app.close();
    const documented = [...section('Bootstrap').matchAll(/^\| (\w+) +\|/gm)].map(([, name]) => name as string);
    expect(documented.slice(1).sort()).toStrictEqual(Object.keys(data).sort());
  });
});
