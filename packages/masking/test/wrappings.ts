/** A way to write a secret under a name, as a text. */
export interface Writing {
  readonly called: string;
  /**
   * Which secrets it can hold: `any`, or `bare` where nothing encodes the characters that end a value, such as blanks
   * and quotation marks.
   */
  readonly holds: 'any' | 'bare';
  write(name: string, secret: string): string;
}

/** A text that contains another text. */
export interface Wrapping {
  readonly called: string;
  wrap(text: string): string;
}

const percent = encodeURIComponent;
const form = (text: string) => new URLSearchParams({ q: text }).toString().slice(2);
const json = JSON.stringify;

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
};
const xml = (text: string) => text.replace(/[<>&"']/g, (character) => XML_ENTITIES[character] ?? '');

/** What nginx escapes in a log. */
const nginx = (text: string) =>
  text.replace(/["\\]|[^ -~]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );

/** Every writing is tried in every wrapping, to a depth of three. A new line here is covered by the same properties. */
export const WRITINGS: readonly Writing[] = [
  {
    called: 'a query',
    holds: 'any',
    write: (name, secret) => `https://h/cb?a=1&${percent(name)}=${percent(secret)}&b=2`,
  },
  { called: 'a query of a path', holds: 'any', write: (name, secret) => `url: /reset?${name}=${percent(secret)}` },
  { called: 'a query with +', holds: 'any', write: (name, secret) => `/?x=y+z&${form(name)}=${form(secret)}` },
  { called: 'a fragment', holds: 'any', write: (name, secret) => `https://h/cb#${percent(name)}=${percent(secret)}` },
  { called: 'a name in brackets', holds: 'any', write: (name, secret) => `/?user[${name}]=${percent(secret)}&b=2` },
  { called: 'a list in a query', holds: 'any', write: (name, secret) => `/?${name}[]=${percent(secret)}` },
  { called: 'a form', holds: 'any', write: (name, secret) => `user=anna&${form(name)}=${form(secret)}&remember=on` },
  { called: 'a member', holds: 'any', write: (name, secret) => json({ a: 1, [name]: secret, b: 'c' }) },
  { called: 'a member of lines', holds: 'any', write: (name, secret) => json({ [name]: secret, b: 1 }, null, 2) },
  { called: 'an object', holds: 'any', write: (name, secret) => json({ [name]: { old: 'a', new: [secret] }, b: 1 }) },
  { called: 'a flat list', holds: 'any', write: (name, secret) => json(['accept', '*/*', name, secret, 'host', 'h']) },
  {
    called: 'a list of pairs',
    holds: 'any',
    write: (name, secret) =>
      json([
        ['a', 'b'],
        [name, secret],
      ]),
  },
  {
    called: 'a name and its value',
    holds: 'any',
    write: (name, secret) => json([{ name, value: secret }, { name: 'b' }]),
  },
  { called: 'a value and its name', holds: 'any', write: (name, secret) => json({ value: secret, type: 'x', name }) },
  {
    called: 'a field of a multipart body',
    holds: 'bare',
    write: (name, secret) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain\r\n\r\n${secret}\r\n--b--`,
  },
  { called: 'a header', holds: 'bare', write: (name, secret) => `GET / HTTP/1.1\r\n${name}: ${secret}\r\nHost: a` },
  { called: 'a pair', holds: 'bare', write: (name, secret) => `host=h ${name}=${secret} port=1` },
  { called: 'a setting', holds: 'bare', write: (name, secret) => `Server=h;${name}=${secret};Port=1` },
  { called: 'a line of YAML', holds: 'any', write: (name, secret) => `a: b\n${name}: ${json(secret)}\nc: d` },
  { called: 'a text with the name', holds: 'bare', write: (name, secret) => `the ${name}: ${secret}` },
  { called: 'a text in Chinese', holds: 'bare', write: (name, secret) => `用户的${name}：${secret}` },
  { called: 'a quoted value', holds: 'bare', write: (name, secret) => `export ${name}='${secret}' && run` },
  { called: 'an option', holds: 'bare', write: (name, secret) => `run --${name} x${secret} --verbose` },
  { called: 'a hash of Ruby', holds: 'any', write: (name, secret) => `{"a"=>"b", "${name}"=>${json(secret)}}` },
  { called: 'an element', holds: 'any', write: (name, secret) => `<a><${name}>${xml(secret)}</${name}><b/></a>` },
  { called: 'a named element', holds: 'any', write: (name, secret) => `<p><e key="${name}">${xml(secret)}</e></p>` },
  { called: 'user information', holds: 'any', write: (_, secret) => `postgres://anna:${percent(secret)}@h:5432/db` },
  { called: 'a token as user', holds: 'any', write: (_, secret) => `https://${percent(secret)}@h/repository.git` },
  { called: 'a password alone', holds: 'any', write: (_, secret) => `redis://:${percent(secret)}@h:6379/0` },
  { called: 'curl -u', holds: 'bare', write: (_, secret) => `curl -u anna:${secret} -X POST https://h/` },
  { called: 'cookies', holds: 'any', write: (_, secret) => `Cookie: theme=dark; sid=${percent(secret)}; lang=en` },
  {
    called: 'basic credentials',
    holds: 'any',
    write: (_, secret) => `with Basic ${Buffer.from(`anna:${secret}`).toString('base64')} it works`,
  },
  { called: 'a scheme in a list', holds: 'any', write: (_, secret) => json(['authorization', `Bearer ${secret}`]) },
  {
    called: 'a private key',
    holds: 'any',
    write: (_, secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
  },
];

export const WRAPPINGS: readonly Wrapping[] = [
  { called: 'a query value', wrap: (text) => `https://h/go?q=${percent(text)}&z=1` },
  { called: 'a form value', wrap: (text) => `a=b+c&q=${form(text)}&z=1` },
  { called: 'a query value, encoded twice', wrap: (text) => `/go?q=${percent(percent(text))}` },
  { called: 'a fragment', wrap: (text) => `https://h/#/r?x=${percent(text)}` },
  { called: 'a member', wrap: (text) => json({ a: 'b', note: text, z: 1 }) },
  { called: 'an item', wrap: (text) => json(['a', text, 1]) },
  { called: 'a line of a log', wrap: (text) => `2026-11-21 16:15:10 INFO [main] it's "got": ${text}` },
  { called: 'a text in quotation marks', wrap: (text) => `said ${json(text)}, and went` },
  { called: 'an attribute', wrap: (text) => `<a title="${xml(text)}">b</a>` },
  { called: 'a log of nginx', wrap: (text) => `10.0.0.1 - - [21/Nov/2026] "${nginx(text)}" 200 "-"` },
];

/** A value with a secret under a name that is no text. */
export const VALUES: readonly ((name: string, secret: string) => unknown)[] = [
  (name, secret) => ({ [name]: secret }),
  (name, secret) => ({ a: [{ b: { [name]: [secret] } }] }),
  (name, secret) => [name, secret],
  (name, secret) => ['accept', '*/*', name, secret, 'host', 'h'],
  (name, secret) => ['odd', 'accept', '*/*', name, secret],
  (name, secret) => [name, [secret, secret]],
  (name, secret) => [
    ['a', 'b'],
    [name, secret],
  ],
  (name, secret) => [{ name, value: secret }],
  (name, secret) => [{ value: secret, Name: name }],
  (name, secret) => ({ headers: { 'x-a': 'b', [name]: secret } }),
  (name, secret) => ({ [`user[${name}]`]: secret }),
];

/** A text as a part of a value. */
export const PLACES: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => ({ note: text }),
  (text) => [text],
  (text) => ['x-url', text, 'host', 'h'],
  (text) => [['referer', text]],
  (text) => ({ a: [{ name: 'referer', value: text }] }),
  (text) => ({ [text]: 1 }),
];
