import { describe, expect, it } from 'vitest';
import { maskSensitive, maskText, storedText } from '../src/index.js';

/** The secret of every line below. */
const S = 'hunTer2x';

const LOGIN = 'mutation L($p: String!) { login(password: $p) { id } }';

/** Each shape as it is, and what is left of it. */
const SHAPES: readonly (readonly [text: string, masked: string])[] = [
  // Names.
  [`session_id=${S}&a=1`, 'session_id=[masked]&a=1'],
  [`csrf=${S}&a=1`, 'csrf=[masked]&a=1'],
  [`{"csrfToken":"${S}","_xsrf":"${S}"}`, '{"csrfToken":"[masked]","_xsrf":"[masked]"}'],
  [`PHPSESSID=${S}; JSESSIONID=${S}`, 'PHPSESSID=[masked]; JSESSIONID=[masked]'],
  // What follows `&`.
  [`password=ab&amp;${S}`, 'password=[masked]'],
  [`password=ab&${S} b`, 'password=[masked] b'],
  [`"password=ab&${S}"`, '"password=[masked]"'],
  [`{"a":"password=ab&${S}","b":"c=d"}`, '{"a":"password=[masked]","b":"c=d"}'],
  [`<a title="password=ab&amp;${S}">`, '<a title="password=[masked]">'],
  [`password="ab"&${S}"`, 'password=[masked]"'],
  [`'password'='ab'&${S}'`, "'password'=[masked]'"],
  [`user=a;password=ab&${S};port=1`, 'user=a;password=[masked];port=1'],
  ['token=x&b=2&user[name]=anna&c', 'token=[masked]&b=2&user[name]=anna&c'],
  ['<a href="/?token=x&amp;b=2&amp;amp;c=3">', '<a href="/?token=[masked]&amp;b=2&amp;amp;c=3">'],
  // Names and values beside each other.
  [`{"key":"token","val":"${S}"}`, '{"key":"[masked]","[masked]":"[masked]"}'],
  [`{"val":"${S}","name":"password"}`, '{"val":"[masked]","name":"password"}'],
  [`{"k":"password","v":"${S}"}`, '{"k":"password","[masked]":"[masked]"}'],
  [`{"name":"password","newVal":"${S}"}`, '{"name":"password","[masked]":"[masked]"}'],
  [`key: token\nval: ${S}\n`, 'key: [masked]\nval: [masked]\n'],
  [`name=password&val=${S}&a=1`, 'name=password&val=[masked]&a=1'],
  [`{"type":"password","value":"${S}"}`, '{"type":"password","[masked]":"[masked]"}'],
  [`{"id":"password","value":"${S}"}`, '{"id":"password","[masked]":"[masked]"}'],
  [`{"op":"replace","path":"/user/pin","value":"${S}"}`, '{"op":"replace","path":"/user/pin","[masked]":"[masked]"}'],
  [`{"value":"${S}","path":"/password"}`, '{"value":"[masked]","path":"/password"}'],
  [`{"field":"password","old":"x","new":"${S}"}`, '{"field":"password","[masked]":"[masked]","new":"[masked]"}'],
  [`<input type=password value=${S}>`, '<input type=password value=[masked]>'],
  [`[["password", {"x":"${S}"}]]`, '[["password", [masked]]]'],
  // Arrows.
  [`password ⟶ ${S}`, 'password ⟶ [masked]'],
  [`password ➜ ${S}`, 'password ➜ [masked]'],
  [`password ⇨ "${S}"`, 'password ⇨ "[masked]"'],
  [`password -> ${S}`, 'password -> [masked]'],
  [`user -> anna, password -> a b ${S}, age -> 1`, 'user -> anna, password -> [masked], age -> 1'],
  [`password->${S} b`, 'password->[masked] b'],
  [`"password" -> "${S}"`, '"password" -> "[masked]"'],
  [`password → ${S}`, 'password → [masked]'],
  [`{“token”:“${S}”}`, '{“token”:[masked]}'],
  // Variables of GraphQL.
  [`query($token: String = "${S}") { a }`, 'query($token: [masked]") { a }'],
  [`query($t: String = "${S}") { a(token: $t) }`, 'query($t: String = "[masked]") { a(token: [masked]}'],
  // JSON in the name of a file, as file systems refuse it.
  [`a {"token"_"${S}"}.json b`, 'a {"token"_"[masked] b'],
  [`__token___${S}__.json`, '__token___[masked]'],
  [`__a___1___access_token___${S}`, '__a___1___access_token___[masked]'],
];

/** GraphQL over HTTP, of which only the document knows what is secret. */
const REQUESTS: readonly string[] = [
  JSON.stringify({ query: LOGIN, variables: { p: S } }),
  JSON.stringify({ variables: { p: S }, query: LOGIN }),
  JSON.stringify([{ query: LOGIN, variables: { p: { deep: [S] } } }]),
  `POST /graphql?query=${encodeURIComponent(LOGIN)}&variables=${encodeURIComponent(JSON.stringify({ p: S }))}`,
];

/** What looks like one of the shapes, and holds no secret. */
const HARMLESS: readonly string[] = [
  '{"name":"colour","val":"red"}',
  '{"op":"replace","path":"/name","value":"Anna"}',
  '{"type":"string","value":"Anna","old":"a","new":"b"}',
  'anna ⟶ berta, 1 ➜ 2',
  '["name", {"a":1}]',
  '<!-- token --> text',
  'anna -> berta, 1 -> 2',
  'interval=5&retrieval=2',
  'Q&A about sessions',
  'a___b___c.txt',
  '{"query":"query($id: ID!) { a(id: $id) }","variables":{"id":"7"}}',
];

describe('shapes of names and values', () => {
  it.each(SHAPES)('AUD-17 masks %s', (text, masked) => {
    expect(maskText(text)).toBe(masked);
    expect(maskText(masked)).toBe(masked);
    for (const wrapped of [JSON.stringify({ note: text }), `/?q=${encodeURIComponent(text)}`, `it's "x: ${text}`])
      expect(storedText(wrapped, 1000)).not.toContain(S);
  });

  it.each(REQUESTS)('AUD-17 masks the variables of %s', (text) => {
    for (const wrapped of [text, JSON.stringify({ body: text }), `/?q=${encodeURIComponent(text)}`]) {
      const masked = maskText(wrapped);
      expect(masked).not.toContain(S);
      expect(maskText(masked)).toBe(masked);
    }
  });

  it.each(HARMLESS)('AUD-17 leaves %s', (text) => expect(maskText(text)).toBe(text));

  it('AUD-17 masks the same shapes in values', () => {
    expect(
      maskSensitive([
        { session_id: S, csrf: S, interval: 5 },
        { key: 'token', val: S },
        { k: 'token', v: { deep: S } },
        { op: 'replace', path: '/user/pin', value: S },
        { field: 'password', old: S, new: { deep: S } },
        { type: 'colour', value: 'red', old: 1, new: 2 },
        { fileName: `{"password":"${S}"}.pdf` },
        { query: LOGIN, variables: { p: S, page: 2, q: { p: S } } },
        { variables: JSON.stringify({ p: S }), query: LOGIN },
        { query: `#${'-'.repeat(20_000)}\n${LOGIN}`.slice(0, 20_000), variables: { p: S } },
        { query: 'query($id: ID!) { a(id: $id) }', variables: { id: 7 }, p: 'shown' },
        { query: LOGIN, variables: {}, p: 'shown' },
        { p: 'shown' },
      ]),
    ).toEqual([
      { session_id: '[masked]', csrf: '[masked]', interval: 5 },
      { key: '[masked]', val: '[masked]' },
      { k: 'token', v: '[masked]' },
      { op: 'replace', path: '/user/pin', value: '[masked]' },
      { field: 'password', old: '[masked]', new: '[masked]' },
      { type: 'colour', value: 'red', old: 1, new: 2 },
      { fileName: '{"password":[masked]' },
      {
        query: 'mutation L($p: String!) { login(password: [masked]}',
        variables: { p: '[masked]', page: 2, q: { p: '[masked]' } },
      },
      { variables: '[masked]', query: 'mutation L($p: String!) { login(password: [masked]}' },
      { query: expect.stringMatching(/^#-+\[cut\]$/), variables: '[masked]' },
      { query: 'query($id: ID!) { a(id: $id) }', variables: { id: 7 }, p: 'shown' },
      { query: 'mutation L($p: String!) { login(password: [masked]}', variables: {}, p: 'shown' },
      { p: 'shown' },
    ]);
  });

  it('AUD-17 reads a text of ten thousand beginnings of these shapes once', () => {
    for (const piece of ['&', '&amp;', 'a&', 'token=&', '$p: ', 'p: $a ', '->', '__a___', '"_"', '$a:b=', "'k':"]) {
      // It would exceed the time of a test by minutes if a search began anew at each piece.
      const masked = maskText(`token=${S} ${piece.repeat(20_000)}`);
      expect(masked).not.toContain(S);
    }
  });
});
