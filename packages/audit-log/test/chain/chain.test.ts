import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHAIN_START, createAuditChain } from '../../src/chain/index.js';
import { AuditSetupError } from '../../src/index.js';
import { parseAuditKey } from '../../src/postgres.js';
import { canonicalJson, canonicalOfJsonb } from '../../src/records/canonical-json.js';
import { columnsOf, type RecordColumns } from '../../src/records/index.js';
import { makeKey, makeRecord } from '../records.js';

const columns: RecordColumns = columnsOf(makeRecord());

describe('the chain of an audit log', () => {
  it('AUD-6 the mac of a row is the documented HMAC', () => {
    const key = makeKey();
    const link = createAuditChain(key).link({ sequence: 6, mac: 'before' }, columns);
    const fields = ['sallyport audit record v1', 'before', '7', 'k1', ...Object.values(columns)];
    const netstrings = fields.map((field) => (field === null ? '-' : `${Buffer.byteLength(field)}:${field}`));
    expect(Object.keys(columns)).toEqual([
      'id',
      'occurredAt',
      'actor',
      'action',
      'target',
      'outcome',
      'reason',
      'durationMillis',
      'parameters',
      'clientIp',
      'extra',
    ]);
    const mac = createHmac('sha256', key.secret).update(netstrings.join('')).digest('base64url');
    expect(link).toEqual({ sequence: 7, previous: 'before', keyId: 'k1', mac });
  });

  it.each(['sha256', 'sm3'] as const)('AUD-6 a row verifies with %s, and does not after any change', (algorithm) => {
    const chain = createAuditChain(makeKey('k1', algorithm));
    const row = { ...columns, ...chain.link(CHAIN_START, columns) };
    expect(chain.proves(row)).toBe(true);
    for (const [name, value] of Object.entries(row)) {
      const other = typeof value === 'number' ? value + 1 : value === null ? '' : `${value}x`;
      expect(chain.proves({ ...row, [name]: other }), name).toBe(false);
      if (typeof value === 'string') expect(chain.proves({ ...row, [name]: null as never }), name).toBe(false);
    }
    expect(createAuditChain(makeKey('k1', algorithm)).proves(row)).toBe(false);
  });

  it('AUD-6 text moved from one column to the next changes the mac', () => {
    const chain = createAuditChain(makeKey());
    const texts = fc.record({ actor: fc.string(), action: fc.string(), target: fc.option(fc.string()) });
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const macs = [one, other].map((given) => chain.link(CHAIN_START, { ...columns, ...given }).mac);
        const same = one.actor === other.actor && one.action === other.action && one.target === other.target;
        expect(macs[0] === macs[1]).toBe(same);
      }),
    );
    const slid = [
      { actor: 'a', action: '1:bc' },
      { actor: 'a1:b', action: 'c' },
      { actor: null, action: '-' },
      { actor: '-', action: '' },
    ].map((given) => chain.link(CHAIN_START, { ...columns, ...given }).mac);
    expect(new Set(slid).size).toBe(slid.length);
  });

  it('AUD-6 after a rotation the earlier key verifies its rows, and the new key chains', () => {
    const [old, young] = [makeKey('k1', 'sm3'), makeKey('k2')];
    const before = { ...columns, ...createAuditChain(old).link(CHAIN_START, columns) };
    const chain = createAuditChain(young, [old]);
    const after = { ...columns, ...chain.link(before, columns) };
    expect([before.keyId, after.keyId]).toEqual(['k1', 'k2']);
    expect([chain.proves(before), chain.proves(after), createAuditChain(old).proves(after)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('the canonical JSON of a record', () => {
  it('AUD-7 is accepted by PostgreSQL for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const json = canonicalJson({ value, [text]: text });
        expect(json).not.toMatch(/\\u0000|\\ud[89a-f]/);
        expect(Buffer.from(json, 'utf8').toString('utf8')).toBe(json);
        expect(canonicalJson(JSON.parse(json))).toBe(json);
      }),
    );
    expect(canonicalJson({ b: 1, a: ['\\u0000', '\0', '\uD800\u{1F600}'] })).toBe(
      '{"a":["\\\\u0000","\uFFFD","\uFFFD\u{1F600}"],"b":1}',
    );
    expect(canonicalJson(1n)).toBe('{"unstorable":"no JSON"}');
  });

  it('AUD-6 is null for a number that JavaScript rounds or formats differently', () => {
    expect(canonicalOfJsonb('{"b": 1, "a": [1000000000000000000000, 0.0000001, -1.5, "1.0"]}')).toBe(
      '{"a":[1e+21,1e-7,-1.5,"1.0"],"b":1}',
    );
    for (const text of ['1.0', '[1.00000000000000000001]', '{"a": -0}', '{"a": 12345678901234567890123}', '0.10'])
      expect(canonicalOfJsonb(text), text).toBeNull();
  });
});

describe('parseAuditKey', () => {
  it('reads id, secret and hash', () => {
    const secret = randomBytes(32);
    expect(parseAuditKey(`2026-11:${secret.toString('hex')}`)).toEqual({ id: '2026-11', secret });
    expect(parseAuditKey(` k:sm3:${secret.toString('hex').toUpperCase()}\n`)).toEqual({
      id: 'k',
      secret,
      algorithm: 'sm3',
    });
  });

  it('refuses a short key, one without random bytes, and other texts, without quoting them', () => {
    const short = randomBytes(31).toString('hex');
    for (const text of [
      '',
      'k',
      `k:${short}`,
      `k:${'ab'.repeat(32)}`,
      `:${short}ab`,
      `k:md5:${short}ab`,
      `k:${short}a`,
    ]) {
      expect(() => parseAuditKey(text)).toThrow(AuditSetupError);
      expect(() => parseAuditKey(text)).not.toThrow(new RegExp(`${short}|abab`));
    }
  });
});
