import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import { maskSensitive, maskText, SENSITIVE_NAMES } from '../src/index.js';
import { PLACES, VALUES, WRAPPINGS, WRITINGS, type Writing } from './wrappings.js';

const MIN_SECRET = 6;
const of = (characters: string) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: MIN_SECRET, maxLength: 40 });

/** Nothing in these ends a value that is not encoded. */
const bareSecret = fc.oneof(
  of('0123456789'),
  of('0123456789abcdef'),
  of('abcdefghijklmnopqrstuvwxyz'),
  of('ABCdef0189_-.~+/'),
  of('aB1!$*%^|@#?_'),
  of('пароль日本語密码ñü😀'),
);
const anySecret = fc.oneof(
  bareSecret,
  of('a1 "\'\\`{}[]()<>&=:;,/?#%+@'),
  of('ab\r\n\t "'),
  fc.string({ unit: 'grapheme', minLength: MIN_SECRET, maxLength: 40 }),
);

const sensitiveName = fc
  .constantFrom(...SENSITIVE_NAMES.whole, ...SENSITIVE_NAMES.parts)
  .chain((name) => fc.constantFrom(name, name.toUpperCase()));

/** Ends with a character that is not part of a name. */
const prefix = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...'ab1 =:;,.?&/"\'`(){}[]<>%\\\n码，', 'url: ', '://', 'name=', '{"a":"b",') }),
    fc.constantFrom(...' ?&;,({"\'/:=>|\n[#，。'),
  )
  .map((parts) => parts.join(''));
const optionalPrefix = fc.oneof(fc.constant(''), prefix);
const suffix = fc.oneof(
  fc.constant(''),
  fc.constantFrom(' and so on', '&c=d', '\nnext: line', ' "quoted" it\'s', '\r\n{}'),
);

const written = fc.constantFrom(...WRITINGS).chain((writing) =>
  fc.record({
    writing: fc.constant(writing),
    name: sensitiveName,
    secret: writing.holds === 'any' ? anySecret : bareSecret,
    before: optionalPrefix,
    after: suffix,
  }),
);

/** The encodings in which a secret would be readable. */
function survives(secret: string, output: string): boolean {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return forms.some((form) => output.includes(form));
}

/** The output in the message of the failure. */
function expectNone(secret: string, output: string): void {
  expect(survives(secret, output) ? output : '').toBe('');
}

/** Wraps from the inside to the outside. */
function build(
  { writing, name, before, after }: { writing: Writing; name: string; before: string; after: string },
  layers: readonly { wrapping: (typeof WRAPPINGS)[number]; before: string; after: string }[],
  secret: string,
): string {
  const inner = before + writing.write(name, secret) + after;
  return layers.reduce((text, layer) => layer.before + layer.wrapping.wrap(text) + layer.after, inner);
}

/** Whether the surroundings contain the secret by chance. */
const isAmongOthers = (secret: string, make: (secret: string) => unknown) =>
  survives(secret, JSON.stringify(make('\u00a7'.repeat(9)))) || '[masked]'.includes(secret);

const layers = fc.array(fc.record({ wrapping: fc.constantFrom(...WRAPPINGS), before: optionalPrefix, after: suffix }), {
  maxLength: 3,
});

/** `RUNS=100000` looks longer than the suite does. */
const NUM_RUNS = Number(process.env.RUNS ?? 4000);

describe('every secret, under every name, after every prefix, in every wrapping', () => {
  it('AUD-10 does not survive in a text', () => {
    fc.assert(
      fc.property(written, layers, (base, around) => {
        const make = (secret: string) => build(base, around, secret);
        fc.pre(!isAmongOthers(base.secret, make));
        expectNone(base.secret, maskText(make(base.secret)));
      }),
      { numRuns: cases(NUM_RUNS) },
    );
  });

  it('AUD-10 does not survive in a value', () => {
    fc.assert(
      fc.property(written, layers, fc.constantFrom(...PLACES), (base, around, place) => {
        const make = (secret: string) => place(build(base, around, secret));
        fc.pre(!isAmongOthers(base.secret, make));
        expectNone(base.secret, JSON.stringify(maskSensitive(make(base.secret))));
      }),
      { numRuns: cases(NUM_RUNS / 2) },
    );
  });

  it('AUD-10 does not survive where the value itself has the name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALUES), sensitiveName, anySecret, (value, name, secret) => {
        fc.pre(!isAmongOthers(secret, (other) => value(name, other)));
        expectNone(secret, JSON.stringify(maskSensitive(value(name, secret))));
        const text = JSON.stringify({ body: JSON.stringify(value(name, secret)) });
        expectNone(secret, maskText(text));
      }),
      { numRuns: cases(NUM_RUNS / 4) },
    );
  });
});
