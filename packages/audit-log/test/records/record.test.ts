import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { type AuditEvent, createAuditRecord, createRecordIds, TEXT_LIMITS } from '../../src/index.js';

const nextId = createRecordIds(() => 1_700_000_000_000);
const recordOf = (event: Partial<AuditEvent>) =>
  createAuditRecord({ action: 'payment.create', ...event }, { id: nextId(), occurredAt: 1_700_000_000_000 });

const HARMFUL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/u;

/** Texts that attack line formats, stores and readers. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 2000 }),
  fc
    .array(fc.constantFrom('\0', '\r\n', '\ud800', '\udfff', '\u2028', '\u202e', '\u001b[31m', '😀', 'a', '\\u000a'), {
      maxLength: 800,
    })
    .map((parts) => parts.join('')),
);

const hostileJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 12 },
    hostileText,
    fc.double(),
    fc.bigInt(),
    fc.constantFrom(undefined, null, true, Symbol('s'), () => 1, new Date(Number.NaN), new Map(), Buffer.alloc(3)),
    fc.array(tie('value'), { maxLength: 30 }),
    fc.dictionary(hostileText, tie('value'), { maxKeys: 30, noNullPrototype: false }),
  ),
})).value;

describe('texts of a record', () => {
  it('AUD-7 AU-03 no text of a client ends a line, changes the writing direction or is refused by a store', () => {
    fc.assert(
      fc.property(hostileText, hostileJson, (text, parameters) => {
        const record = recordOf({
          actor: text,
          action: text,
          target: text,
          reason: text,
          requestId: text,
          terminal: text,
          method: text,
          path: text,
          userAgent: text,
          clientIp: text,
          parameters,
          exception: new Error(text),
        });
        const json = JSON.stringify(record);
        expect(json).not.toMatch(HARMFUL);
        // Characters that JSON.stringify escapes were replaced in the texts before.
        expect(json.replaceAll('\\\\', '')).not.toContain('\\u');
        expect(Buffer.from(json).toString()).toBe(json);
        for (const [name, max] of Object.entries(TEXT_LIMITS)) {
          const kept = { ...record, ...record.extra }[name as keyof typeof TEXT_LIMITS];
          expect(kept?.length ?? 0).toBeLessThanOrEqual(max);
        }
        expect(Buffer.byteLength(JSON.stringify(record.parameters))).toBeLessThanOrEqual(17_000);
      }),
      { numRuns: cases(200) },
    );
  });

  it('AU-03 replaces line ends, escapes and bidi marks by visible escapes', () => {
    const { extra } = recordOf({ userAgent: 'a\r\n{"forged":true}\t\u001b[2J\u2028\u202e\ud800z\0' });
    expect(extra.userAgent).toBe('a\\u000d\\u000a{"forged":true}\\u0009\\u001b[2J\\u2028\\u202e\\ud800z\\u0000');
  });

  it('AU-04 AUD-2 cuts a User-Agent of 10 kB between characters, with characters of four bytes', () => {
    const odd = recordOf({ userAgent: `x${'😀'.repeat(2500)}` }).extra.userAgent ?? '';
    expect(odd).toBe(`x${'😀'.repeat(127)}`);
    const even = recordOf({ userAgent: '😀'.repeat(2500) }).extra.userAgent ?? '';
    expect(even).toBe('😀'.repeat(128));
  });

  it('AUD-7 accepts a User-Agent of 1 MB, and does not cut within an escape', () => {
    expect(recordOf({ userAgent: 'u'.repeat(1_000_000) }).extra.userAgent).toHaveLength(256);
    expect(recordOf({ userAgent: `${'u'.repeat(253)}\n\n` }).extra.userAgent).toBe('u'.repeat(253));
    expect(recordOf({ userAgent: `${'u'.repeat(250)}\n\n` }).extra.userAgent).toBe(`${'u'.repeat(250)}\\u000a`);
  });

  it('AU-13 AUD-2 bounds a request id of 10 kB', () => {
    expect(recordOf({ requestId: '<b>\r\n'.repeat(2000) }).extra.requestId?.length).toBeLessThanOrEqual(128);
  });

  it('AUD-2 clamps times and durations of any clock to the range of a column', () => {
    const kept = recordOf({ durationMillis: -5, occurredAt: Number.NaN });
    expect(kept).toMatchObject({ durationMillis: 0, occurredAt: 0 });
    expect(recordOf({ durationMillis: 1e12 }).durationMillis).toBe(2_147_483_647);
    expect(recordOf({ durationMillis: 12.4 }).durationMillis).toBe(12);
  });
});

describe('addresses', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['2001:0db8:0:0:0:0:0:1', '2001:db8::1'],
    ['010.0.0.1', null],
    ['203.0.113.7\r\n', null],
    ['unknown', null],
    ['', null],
  ])('AUD-7 AU-12 %j is stored as %j', (given, kept) => {
    expect(recordOf({ clientIp: given }).clientIp).toBe(kept);
  });
});

describe('exceptions', () => {
  it('AU-16 AUD-2 records classes and codes of an error and its causes, and nothing of their messages', () => {
    const driver = Object.assign(new Error('duplicate key (username)=(anna)'), {
      name: 'PostgresError',
      code: '23505',
    });
    const orm = new Error(`Failed query: insert … params: hunter2 ${'x'.repeat(1_000_000)}`, { cause: driver });
    orm.name = 'DrizzleQueryError';
    expect(recordOf({ exception: orm }).extra.exception).toBe('DrizzleQueryError < PostgresError 23505');
  });

  it('AU-16 ignores a name or a code that contains other text', () => {
    const error = Object.assign(new TypeError('no'), { name: 'select password\nfrom users', code: 'hunter2 ' });
    expect(recordOf({ exception: error }).extra.exception).toBe('TypeError');
    expect(recordOf({ exception: 'hunter2' }).extra.exception).toBe('thrown string');
    expect(recordOf({ exception: null }).extra.exception).toBeNull();
  });

  it('AU-16 records the first causes of a cycle', () => {
    const error: Error = new RangeError('a');
    error.cause = error;
    expect(recordOf({ exception: error }).extra.exception).toBe(new Array(4).fill('RangeError').join(' < '));
  });
});

it('AUD-2 ids increase within one millisecond and when the clock goes back', () => {
  let time = 1_700_000_000_000;
  const next = createRecordIds(() => time);
  const ids = Array.from({ length: 1000 }, (_, index) => {
    if (index === 500) time -= 5000;
    return next();
  });
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  );
});
