import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../../scripts/test-properties.js';
import {
  createMemorySource,
  createSystemParameters,
  type ParameterDefinition,
  ParameterInvalidError,
  type ParameterValue,
} from '../src/index.js';
import { FAILURE_COUNT, loginParameters, tables } from './login-parameters.js';

const basics = { key: 'some.key', isPublic: false, description: 'For a test' } as const;

/** The result of a change of a parameter with this definition: the value in force, or the faults. */
async function save(definition: ParameterDefinition, value: unknown): Promise<ParameterValue | ParameterInvalidError> {
  const parameters = createSystemParameters({
    tables: [{ definitions: { it: definition } }],
    source: createMemorySource(),
  });
  await parameters.start();
  try {
    await parameters.change({ key: definition.key, value, version: 0, changedBy: 'a' });
  } catch (error) {
    expect(error).toBeInstanceOf(ParameterInvalidError);
    // Nothing is applied.
    expect(await parameters.find(definition.key)).toMatchObject({ value: definition.default, version: 0 });
    return error as ParameterInvalidError;
  }
  return (await parameters.read({ it: definition })).it;
}

const long = { ...basics, type: 'LONG', default: 3 } as const;
const integer = { ...basics, type: 'INTEGER', default: 3 } as const;
const boolean = { ...basics, type: 'BOOLEAN', default: false } as const;
const text = { ...basics, type: 'STRING', default: 'x' } as const;

describe('a value', () => {
  it.each([
    ...[
      'TRUE',
      'yes',
      '',
      ' 10 ',
      '10 ',
      '10.5',
      '1e3',
      '１０',
      '٣',
      '+1',
      '010',
      '0x10',
      '-0',
      '1_000',
      '9223372036854775808',
    ],
    ...[
      '9007199254740992',
      9007199254740992,
      2 ** 63,
      10.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      true,
      null,
      undefined,
      [],
      [1],
      {},
    ],
  ])('SV-12 refuses %j for a LONG, with 400', async (value) => {
    const error = await save(long, value);
    expect(error).toMatchObject({ statusCode: 400, code: 'PARAMETER_INVALID', errors: [{ pointer: '/value' }] });
  });

  it.each(['TRUE', 'True', '1', '0', 'yes', 'on', '', ' true ', 'ｔｒｕｅ', 1, 0, null, undefined, {}, ['true']])(
    'SV-12 refuses %j for a BOOLEAN',
    async (value) => {
      expect(await save(boolean, value)).toMatchObject({
        errors: [{ pointer: '/value', detail: 'must be true or false' }],
      });
    },
  );

  it.each([
    [long, 10, 10],
    [long, '10', 10],
    [long, '-7', -7],
    [long, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [long, '9007199254740991', Number.MAX_SAFE_INTEGER],
    [long, -0, 0],
    [integer, 2 ** 31 - 1, 2 ** 31 - 1],
    [boolean, true, true],
    [boolean, 'true', true],
    [{ ...boolean, default: true }, 'false', false],
    [text, ' spaces stay ', ' spaces stay '],
    [text, '', ''],
    [text, 'ＦＵＬＬ\n宽', 'ＦＵＬＬ\n宽'],
  ] as const)('SV-12 accepts for %j the value %j as %j', async (definition, given, value) => {
    expect(await save(definition, given)).toBe(value);
  });

  it('SV-12 an INTEGER has 32 bits', async () => {
    for (const value of [2 ** 31, -(2 ** 31) - 1, '2147483648'])
      expect(await save(integer, value)).toBeInstanceOf(Error);
    expect(await save(integer, -(2 ** 31))).toBe(-(2 ** 31));
  });

  it('SV-12 accepts a text for a number only if it is the one text of that number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.maxSafeInteger().map(String), fc.float().map(String)),
        async (given) => {
          const saved = await save(long, given);
          if (saved instanceof Error)
            expect(Number.isSafeInteger(Number(given)) && String(Number(given)) === given).toBe(false);
          else expect(String(saved)).toBe(given);
        },
      ),
      { numRuns: cases(300) },
    );
  });

  it.each([-1, 0, 1e12, 'abc', '', null, '5 '])(
    'LP-24 the policy value %j is refused and the policy stays',
    async (value) => {
      const parameters = createSystemParameters({ tables, source: createMemorySource() });
      await parameters.start();
      const change = parameters.change({ key: FAILURE_COUNT, value, version: 0, changedBy: 'a' });
      await expect(change).rejects.toMatchObject({ statusCode: 400, code: 'PARAMETER_INVALID' });
      expect((await parameters.read(loginParameters)).failureCount).toBe(5);
    },
  );

  it('SYS-2 a STRING is bounded by its maxLength and its check', async () => {
    expect(await save({ ...text, maxLength: 3 }, 'abcd')).toMatchObject({
      errors: [{ detail: 'must have at most 3 characters' }],
    });
    expect(await save(text, 'a'.repeat(4001))).toBeInstanceOf(Error);
    const checked = { ...text, check: (value: string) => (value === 'no' ? 'must not be no' : null) };
    expect(await save(checked, 'no')).toMatchObject({ errors: [{ pointer: '/value', detail: 'must not be no' }] });
    expect(await save(checked, 'yes')).toBe('yes');
  });

  it('SYS-2 a STRING with values has one of them, and nothing else', async () => {
    const chosen = { ...text, default: 'dark', values: ['dark', 'light'] };
    expect(await save(chosen, 'light')).toBe('light');
    for (const other of ['Light', 'light ', '', 'dark,light']) {
      expect(await save(chosen, other)).toMatchObject({
        errors: [{ pointer: '/value', detail: 'must be one of dark, light' }],
      });
    }
  });

  it('SYS-2 a STRING that PostgreSQL could not return unchanged is refused', async () => {
    for (const value of ['a\0b', 'a\ud800b', '\ufeffa', 5, true, null])
      expect(await save(text, value)).toBeInstanceOf(Error);
  });

  it.each([
    '-----BEGIN PRIVATE KEY-----\nMC4CAQ',
    'x -----BEGIN EC PRIVATE KEY----- y',
    'postgres://user:hunter2@db/x',
    `${'a-'.repeat(1400)}a://user:${':'.repeat(100)}@db`,
    'REDIS://:hunter2@cache',
  ])('SYS-6 AU-14 refuses a STRING that contains a secret without repeating it: %s', async (value) => {
    const error = await save(text, value);
    expect(error).toMatchObject({ code: 'PARAMETER_INVALID' });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/hunter2|MC4CAQ/);
  });

  it('SYS-6 a text that looks like the beginning of many URLs is read in linear time', async () => {
    const hostile = `${'a-'.repeat(1400)}a://${':'.repeat(1100)}`;
    expect(await save(text, hostile)).toBe(hostile);
  });

  it('SYS-6 an ordinary URL is not a secret', async () => {
    expect(await save(text, 'https://user@example.org:8443/a@b')).toBe('https://user@example.org:8443/a@b');
  });

  it('SYS-2 reports all faults of a change at once', async () => {
    const parameters = createSystemParameters({ tables, source: createMemorySource() });
    await parameters.start();
    const change = { key: FAILURE_COUNT, value: 'many', version: null, confirm: 'yes', changedBy: 'a' };
    await expect(parameters.change(change)).rejects.toMatchObject({
      errors: [{ pointer: '/value' }, { pointer: '/version' }, { pointer: '/confirm' }],
    });
  });
});
