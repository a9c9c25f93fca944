import { describe, expect, expectTypeOf, test } from 'vitest';
import { readCommandLine, unknownWordFault } from '../../src/options/command-line.js';

const options = {
  url: { type: 'string' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
const words = ['verify', 'retain'];

describe('command lines', () => {
  test('OPS-12 known options and words are read, a -- in front is skipped', () => {
    const read = readCommandLine(['--', 'verify', '--url', 'http://a', '--only=x', '-h'], { options, words });
    expect(read).toEqual({
      values: { url: 'http://a', only: ['x'], json: false, help: true },
      positionals: ['verify'],
    });
    expectTypeOf(read.values.url).toEqualTypeOf<string | undefined>();
    expectTypeOf(read.values.json).toEqualTypeOf<boolean>();
    expect(readCommandLine(['make-key', 'NAME'], { options, words: 'any' }).positionals).toEqual(['make-key', 'NAME']);
  });

  test.each([
    [['--ulr', 'http://a'], '--ulr is not an option; did you mean --url?'],
    [['--ulr=hunter2'], '--ulr is not an option; did you mean --url?'],
    [['-url', 'http://a'], '-url is not an option; did you mean --url?'],
    [['--no-json'], '--no-json is not an option; did you mean --json?'],
    [['-x'], '-x is not an option; the options are --url, --only, --json, --help'],
    [['hepl'], 'hepl is not expected here; did you mean --help?'],
    [['--', 'url=http://a'], 'url is not expected here; did you mean --url?'],
    [['--url'], '--url needs a value'],
    [['--url', '--json'], '--url needs a value'],
    [['--json=1'], '--json takes no value'],
  ])('OPS-12 %j is refused with the nearest known option', (argv, message) => {
    expect(() => readCommandLine(argv, { options })).toThrow(new TypeError(message));
  });

  test('OPS-12 a word is refused with the nearest known word, and repeated only if it is like one', () => {
    const message = 'verfy is not expected here; did you mean verify?';
    expect(() => readCommandLine(['verfy'], { options, words })).toThrow(new TypeError(message));
    expect(() => readCommandLine(['verify', 'Xk2-secret'], { options, words })).toThrow(
      new TypeError(
        'Argument 2 is not expected; the words are verify, retain, and the options are --url, --only, --json, --help',
      ),
    );
    expect(unknownWordFault('retian', words)).toBe('retian is not known; did you mean retain?');
    expect(unknownWordFault('Xk2-secret', words)).toBe('Expected one of verify, retain');
  });

  test('OPS-12 a name that belongs elsewhere is refused with what to write instead', () => {
    const insteadOf = (name: string) => (name === 'port' ? 'set PORT instead' : null);
    for (const argv of [['--port', '80'], ['port=80'], ['-port']]) {
      expect(() => readCommandLine(argv, { options, insteadOf })).toThrow('; set PORT instead');
    }
    expect(() => readCommandLine(['--jsn'], { options, insteadOf })).toThrow('did you mean --json?');
  });
});
