import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../../scripts/test-properties.js';
import { ndjsonLine } from '../../src/delivery/ndjson-line.js';
import { frameOf, syslogMessage } from '../../src/delivery/syslog-message.js';
import type { DeliveredRecord } from '../../src/delivery.js';
import { makeDelivered } from './delivered.js';
import { parseFrames, parseMessage } from './rfc5424.js';

const origin = {
  facility: 13,
  hostname: 'node1',
  appName: 'audit-log',
  structuredDataId: 'audit@32473',
  maxMessageBytes: 8192,
};

/** Texts that would end a message, a parameter or a line, or that UTF-8 can't encode. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        ...['\n', '\r\n', '\0', ']', '"', '\\', '\ud800', '\udfff', '\u2028', '\u0085', '\u202e', '\u007f'],
        ...['\n<34>1 - evil - - - - owned', '"] evil', '\\"] evil', '10 <34>1 - - - - - -', '中', '😀', '\\u000a'],
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const long = fc
  .tuple(hostile, fc.integer({ min: 1, max: 3000 }))
  .map(([text, times]) => text.repeat(times).slice(0, 60_000));
const anyText = fc.oneof({ weight: 5, arbitrary: hostile }, { weight: 1, arbitrary: long });
const orNull = fc.option(anyText, { nil: null });
const hostileRecord: fc.Arbitrary<DeliveredRecord> = fc
  .record({
    sequence: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    occurredAt: fc.oneof(fc.constant('2026-11-21T16:15:09.123000Z'), anyText),
    actor: orNull,
    action: anyText,
    target: orNull,
    outcome: anyText,
    reason: orNull,
    durationMillis: fc.constantFrom('0', '12.5', 'NaN', '-0'),
    parameters: fc.oneof(
      fc.json({ stringUnit: 'binary' }),
      anyText,
      anyText.map((text) => JSON.stringify({ text }, null, 2)),
    ),
    clientIp: orNull,
    keyId: anyText,
    isSecurityEvent: fc.boolean(),
  })
  .map(makeDelivered);

/** What a clean parameter holds: no character that ends a line or changes how it reads. */
const HARMFUL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/u;

describe('messages of RFC 5424', () => {
  it('AUD-13 every column is a parameter of the structured data', () => {
    const record = makeDelivered({ target: 'a"b]c\\d\n' });
    const message = syslogMessage(record, origin);
    expect(message).toContain(' target="a\\"b\\]c\\\\d\\\\u000a"');
    const { sequence, isSecurityEvent: _not, reason: _null, ...columns } = record;
    expect(parseMessage(message)).toEqual({
      priority: 13 * 8 + 6,
      timestamp: '2026-11-21T16:15:09.123000Z',
      hostname: 'node1',
      appName: 'audit-log',
      messageId: 'payment.create',
      dataId: 'audit@32473',
      parameters: { ...columns, sequence: String(sequence), target: 'a"b]c\\d\\u000a' },
      text: 'payment.create success',
    });
  });

  it.each([
    ['success', false, 6],
    ['refused', false, 5],
    ['failure', false, 3],
    ['success', true, 2],
    ['refused', true, 2],
  ])('AUD-13 the severity of outcome %s, security event %s, is %i', (outcome, isSecurityEvent, severity) => {
    const parsed = parseMessage(syslogMessage(makeDelivered({ outcome, isSecurityEvent }), origin));
    expect(parsed.priority).toBe(13 * 8 + severity);
    expect(parsed.parameters.security).toBe(isSecurityEvent ? 'true' : undefined);
  });

  it('AUD-13 no text of a record forges a message, a parameter or a line, whatever its length', () => {
    fc.assert(
      fc.property(fc.array(hostileRecord, { minLength: 1, maxLength: 3 }), (records) => {
        for (const maxMessageBytes of [2048, 8192]) {
          const messages = records.map((record) => syslogMessage(record, { ...origin, maxMessageBytes }));
          expect(parseFrames(Buffer.concat(messages.map(frameOf)))).toEqual(messages);
          for (const [index, message] of messages.entries()) {
            expect(Buffer.byteLength(message)).toBeLessThanOrEqual(maxMessageBytes);
            expect(message).not.toMatch(HARMFUL);
            const { parameters } = parseMessage(message);
            expect(parameters.sequence).toBe(String(records[index]?.sequence));
            expect(parameters.id).toBe(records[index]?.id);
          }
        }
      }),
      { numRuns: cases(150) },
    );
  });

  it('AUD-13 a long message is cut where it says so, and keeps its place in the chain', () => {
    const record = makeDelivered({ parameters: JSON.stringify({ text: '"中'.repeat(9000) }), actor: '中'.repeat(512) });
    const { parameters } = parseMessage(syslogMessage(record, origin));
    expect(parameters).toMatchObject({ truncated: 'parameters', actor: record.actor, mac: record.mac });
    expect(parameters.parameters?.length).toBeGreaterThan(1500);
    expect(record.parameters.startsWith(parameters.parameters ?? '-')).toBe(true);
    const short = syslogMessage(record, { ...origin, maxMessageBytes: 2048 });
    expect(parseMessage(short).parameters).toMatchObject({ truncated: 'actor parameters', target: 'payment:7' });
    expect(syslogMessage(record, { ...origin, maxMessageBytes: 1_048_576 })).not.toContain('truncated=');
  });
});

describe('lines of NDJSON', () => {
  it('AUD-13 a line has every column, with JSON as JSON', () => {
    const record = makeDelivered({ isSecurityEvent: true });
    const line = ndjsonLine(record);
    expect(line.endsWith('}\n')).toBe(true);
    const { isSecurityEvent: _marker, ...columns } = record;
    expect(JSON.parse(line)).toEqual({
      ...columns,
      durationMillis: 12,
      parameters: { payee: 'Ada', amount: '12.50' },
      extra: { requestId: 'r1' },
      security: true,
    });
  });

  it('AUD-13 no text of a record forges a line, and none is changed', () => {
    fc.assert(
      fc.property(hostileRecord, (record) => {
        const line = ndjsonLine(record);
        expect(line.slice(0, -1)).not.toMatch(HARMFUL);
        expect(line.endsWith('\n')).toBe(true);
        const { actor, action, target, sequence } = record;
        expect(JSON.parse(line)).toMatchObject({ actor, action, target, sequence });
      }),
      { numRuns: cases(150) },
    );
  });
});
