import { describe, expect, it } from 'vitest';
import { maskSensitive, maskText, storedText } from '../src/index.js';

/** The secret of every line below. */
const S = 'hunTer2x';

const SHAPES: readonly (readonly [text: string, masked: string])[] = [
  // The bare name of a session.
  [`GET /?session=${S}&a=1`, 'GET /?session=[masked]&a=1'],
  [`a=1; session=${S}; b=2`, 'a=1; session=[masked]; b=2'],
  [`{"session":"${S}","a":1}`, '{"session":"[masked]","a":1}'],
  [`_app_session=${S}`, '_app_session=[masked]'],
  [`connect.sid=s%3A${S}.a`, 'connect.sid=[masked]'],
  // Prose.
  [`the password is ${S}`, 'the password is [masked]'],
  [`The Password is: ${S}`, 'The Password is: [masked]'],
  ['the password is: correct', 'the password is: [masked]'],
  [`the password: ${S}`, 'the password: [masked]'],
  [`Your password was changed to ${S} today`, 'Your password was changed to [masked] today'],
  [`the API key is ${S}`, 'the API key is [masked]'],
  [`密码是 ${S}`, '密码是 [masked]'],
  [`密码:${S}`, '密码:[masked]'],
  [`初始密码是“${S}”`, '初始密码是[masked]'],
  // SQL.
  [
    `insert into users (name, password) values ('a', '${S}')`,
    "insert into users (name, password) values ('a', '[masked]')",
  ],
  [
    `INSERT INTO "u" ("password", "n") VALUES\n('it''s, (${S}', f(1, 2)), ('${S}', 3)`,
    `INSERT INTO "u" ("password", "[masked]") VALUES\n('[masked]', f(1, 2)), ('[masked]', 3)`,
  ],
  [
    `insert into u (n, password_hash) values (1, crypt('${S}', gen_salt('bf'))) returning id`,
    'insert into u (n, password_hash) values (1, [masked]) returning id',
  ],
  [`insert into u (n, password) values ('a', '${S}`, "insert into u (n, password) values ('a', [masked]"],
  [`update u set n = 'a', password = '${S}' where id = 1`, "update u set n = 'a', password = '[masked]' where id = 1"],
  [`set password for 'a'@'h' = '${S}'`, "set password for 'a'@'h' = '[masked]'"],
];

const HARMLESS: readonly string[] = [
  ...['session=closed', 'session=12', 'session: 7 of 12', 'the session is over', 'session=[masked]'],
  ...['the password is required', 'the password is too short', 'The password is incorrect.', 'the token is expired'],
  ...['the password is SHA256-hashed', 'the password is 8-digit or longer', 'the password was reset to nothing'],
  ...['the secret is kept', 'the password is [masked]', '密码是必填项', '密码必须至少8位'],
  ...['insert into users (name, password) values ($1, $2)', 'insert into users (name, password) values (?, :password)'],
  ...[
    "insert into users (name) values ('a')",
    'the values (a, b) of a password',
    'insert into u (password) values (null)',
  ],
];

describe('sentences and statements', () => {
  it.each(SHAPES)('AUD-17 masks %s', (text, masked) => {
    expect(maskText(text)).toBe(masked);
    expect(maskText(masked)).toBe(masked);
    for (const wrapped of [JSON.stringify({ note: text }), `/?q=${encodeURIComponent(text)}`, `it's "x: ${text}`])
      expect(storedText(wrapped, 1000)).not.toContain(S);
  });

  it.each(HARMLESS)('AUD-17 leaves %s', (text) => expect(maskText(text)).toBe(text));

  it('AUD-17 masks the id of a session in values, and nothing else under that name', () => {
    expect(maskSensitive({ query: { session: S, app_session: S }, session: { id: 1 }, mySession: 'open' })).toEqual({
      query: { session: '[masked]', app_session: '[masked]' },
      session: { id: 1 },
      mySession: 'open',
    });
  });

  it('AUD-17 reads a text of ten thousand beginnings of statements once', () => {
    const pieces = [
      "insert into a (password) values ('",
      'insert into a (',
      'values (',
      'password is ',
      'session=',
      ')=(',
    ];
    for (const piece of [...pieces, 'insert into a (password) values ((', 'password for a ', '密码是']) {
      // It would exceed the time of a test by minutes if a search began anew at each piece.
      expect(maskText(`token=${S} ${piece.repeat(20_000)}`)).not.toContain(S);
    }
  });
});
