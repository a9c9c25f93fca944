import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { maskSensitive, maskText } from '../src/index.js';
import { WRAPPINGS, WRITINGS } from './wrappings.js';

/** Pieces of which secrets and their surroundings consist, and the placeholder. */
const PIECES = [
  ...[
    'password',
    'token',
    'key',
    'name',
    'value',
    'Cookie',
    'Authorization',
    'Bearer ',
    'basic ',
    '密码',
    'a',
    'B1',
    '7',
  ],
  ...[
    '=',
    ':',
    ': ',
    '：',
    '=>',
    ',',
    ', ',
    ';',
    '&',
    '"',
    "'",
    '\\',
    '\\"',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '</',
  ],
  ...[
    ' ',
    '\n',
    '\r\n\r\n',
    '\n--',
    '\u0000',
    '\u202e',
    '%',
    '%22',
    '%3D',
    '%25',
    '\\u000a',
    '\\x22',
    '&quot;',
    '+',
    '*',
  ],
  ...[
    '[masked]',
    '[masked',
    'masked]',
    '://',
    '//',
    '@',
    '#',
    '?',
    '--',
    ' -p',
    ' -u ',
    'curl',
    '|',
    '>-',
    '13912345678',
  ],
  ...[
    'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
    '0a1b2c3d'.repeat(5),
    '-----BEGIN KEY-----',
    'sk' + '_live_abcdefghijklmnop',
    '$2b$12$',
  ],
];
const hostileText = fc.string({ unit: fc.constantFrom(...PIECES), maxLength: 24 });

const writtenText = fc
  .tuple(fc.constantFrom(...WRITINGS), fc.constantFrom('password', 'token', 'code', '密码'), hostileText)
  .map(([writing, name, secret]) => writing.write(name, secret));
const anyText = fc
  .tuple(fc.oneof(hostileText, writtenText), fc.array(fc.constantFrom(...WRAPPINGS), { maxLength: 2 }))
  .map(([text, wrappings]) => wrappings.reduce((inner, { wrap }) => wrap(inner), text));

const NUM_RUNS = 4000;

describe('the mask of a masked value', () => {
  it('AUD-10 is the same text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const masked = maskText(text);
        expect(maskText(masked)).toBe(masked);
      }),
      { numRuns: cases(NUM_RUNS) },
    );
  });

  it('AUD-10 is the same text where it is cut', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, maxLength) => {
        const masked = maskText(text, maxLength);
        expect(masked.length).toBeLessThanOrEqual(Math.max(maxLength, '[masked]'.length));
        expect(maskText(masked, maxLength)).toBe(masked);
      }),
      { numRuns: cases(NUM_RUNS) },
    );
  });

  it('AUD-10 is the same value, also where texts are cut', () => {
    const json = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        anyText,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('name', 'value', 'password', 'mobile', 'note', 'items'), tie('value'), {
          maxKeys: 4,
        }),
      ),
    })).value;
    fc.assert(
      fc.property(json, fc.constantFrom(100, 1000), (value, maxTextLength) => {
        // The limits of the whole value are out of reach: a second cut would take more away.
        const limits = { maxTextLength, maxBytes: 1_000_000, maxEntries: 10_000, maxDepth: 50 };
        const masked = maskSensitive(value, limits);
        expect(maskSensitive(masked, limits)).toEqual(masked);
      }),
      { numRuns: cases(NUM_RUNS) },
    );
  });

  it.each(['[masked]', 'password=[masked]', 'Bearer [masked]', '{"token":"[masked]"}', 'postgres://a:[masked]@h/db'])(
    'AUD-10 leaves %j',
    (text) => expect(maskText(text)).toBe(text),
  );

  it('AUD-10 masks what stands beside a placeholder', () => {
    expect(maskText('password=[masked]hunter2 a')).toBe('password=[masked] a');
    expect(maskText('password: "[masked] hunter2"')).toBe('password: "[masked]"');
  });
});

describe('texts that are cut', () => {
  it('AUD-10 the cut halves no secret, wherever it falls', () => {
    const secret = 'k7Qz'.repeat(20);
    const begins = secret.slice(0, 8);
    for (const { called, holds, write } of WRITINGS) {
      const written = write('password', secret);
      for (const prefix of ['x '.repeat(6), `${'y'.repeat(30)} `]) {
        for (let maxLength = 1; maxLength < 200; maxLength += 1)
          expect(`${called} ${holds} ${maskText(prefix + written, maxLength)}`).not.toContain(begins);
      }
    }
  });

  it('AUD-10 a secret at the end of what is read is not shown, although masking made the text shorter', () => {
    const long = `password=${'k7Qz'.repeat(900)} `;
    for (const { called, write } of WRITINGS) {
      for (let gap = 0; gap < 6500; gap += 130) {
        const text = `${long}${'x '.repeat(gap / 2)}${write('token', 'm3Wv'.repeat(50))}${' z'.repeat(5000)}`;
        expect(`${called} ${maskText(text, 1000)}`).not.toMatch(/m3Wv|k7Qz/);
      }
    }
  });

  it('AUD-10 a text that is encoded too often is masked as a whole', () => {
    let text = 'password=hunter2&a=b';
    for (let level = 0; level < 12; level += 1) text = `?q=${encodeURIComponent(text)}`;
    expect(maskText(text)).toBe('[masked]');
  });
});

describe('long texts', () => {
  /** Each would exceed the time of a test by minutes if a pattern or a search began anew at each of its parts. */
  const HOSTILE = [
    ...PIECES,
    ...[
      'password=',
      'password="',
      "password='",
      'password: ',
      'password:',
      '"password":"',
      '\\"password\\":\\"',
      'a=b,',
    ],
    ...[
      'password={',
      'password=[',
      'name="password"\n\n',
      'name=password value=',
      '{"name":"password","a":"',
      '{"value":1,',
    ],
    ...[
      '<password>',
      '<password a="',
      '<a key="password">',
      '><a>password</a><b>',
      '<![CDATA[',
      'Cookie: a\\',
      'x//a:b',
    ],
    ...[
      '://a:b',
      'https://a:b/c',
      'https://a:1@',
      '-eyJ',
      'eyJhbGciOiJ',
      'eyJ.',
      'Bearer a',
      '--token ',
      'curl -b ',
      'mysql ',
    ],
    ...[
      'login x password ',
      'login -p',
      '":"',
      '"" ',
      '\\\\',
      '\\',
      '%25',
      '%',
      '&amp;',
      '}) ',
      '])',
      ')'.repeat(9),
      'a.b-c_',
    ],
    ...[
      'a=b+',
      '=+',
      '[a]',
      '"a"["b"]',
      '密码：',
      '验证码',
      'code is ',
      'password ("',
      'a, ',
      "', '",
      '"\t,',
      '\u00a0',
      '\ud83d',
    ],
    ...[
      'password: |\n ',
      '\n',
      'a:b:c:',
      'api:',
      'AKIA',
      'sk' + '_live_',
      '12345678:AA',
      'ENV a ',
      '\\u000a',
      '$argon2',
      '$1$',
    ],
  ];
  const LENGTH = 200_000;

  it.each(HOSTILE)('AUD-10 need time in proportion to their length: %j', (piece) => {
    const masked = maskText(`password=hunter2 ${piece.repeat(Math.ceil(LENGTH / piece.length))}`);
    expect(masked).not.toContain('hunter2');
  });
});
