import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createSystemParameters,
  defineParameterTable,
  type ParameterChange,
  type ParameterSource,
  type ParameterWarning,
  type SystemParametersEngine,
  type SystemParametersEngineOptions,
} from '../src/index.js';
import { createClock } from './clock.js';
import {
  FAILURE_COUNT,
  loginParameters,
  MAX_LENGTH,
  MIN_LENGTH,
  passwordParameters,
  tables,
  WHITELIST_ENABLED,
  WHITELIST_VALUES,
} from './login-parameters.js';
import { type SourceKind, sourceKinds } from './source-kinds.js';

describe.each(Object.keys(sourceKinds))('changes on %s', (kindName) => {
  let kind: SourceKind;
  let source: ParameterSource;

  beforeAll(async () => {
    kind = await sourceKinds[kindName]!();
  });
  afterAll(() => kind.close());
  beforeEach(async () => {
    await kind.empty();
    source = kind.connect();
  });

  async function startNode(options: Partial<SystemParametersEngineOptions> = {}): Promise<SystemParametersEngine> {
    const node = createSystemParameters({ tables, source, timeoutMillis: 10_000, ...options });
    await node.start();
    return node;
  }

  it('SYS-1 every parameter has a row with its metadata from the start', async () => {
    const node = await startNode();
    expect(await node.find(MIN_LENGTH)).toEqual({
      key: MIN_LENGTH,
      type: 'INTEGER',
      value: 6,
      defaultValue: 6,
      minimum: 1,
      maximum: 128,
      isPublic: true,
      maxLength: null,
      values: null,
      unit: null,
      group: null,
      description: 'Shortest password',
      texts: { en: 'Shortest password' },
      version: 0,
      updatedBy: null,
      updatedAt: null,
      fault: null,
    });
    expect((await source.read([MIN_LENGTH, FAILURE_COUNT, 'no.such.key'])).length).toBe(2);
  });

  it('SYS-2 a change increments the version, records who and when, and is visible at once on its node', async () => {
    const node = await startNode();
    const changed = await node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'alice' });
    expect(changed).toMatchObject({ value: 3, version: 1, updatedBy: 'alice', updatedAt: expect.any(Date) });
    expect((await node.read(loginParameters)).failureCount).toBe(3);
    expect(await node.change({ key: FAILURE_COUNT, value: '4', version: 1, changedBy: 'bob' })).toMatchObject({
      version: 2,
    });
    expect(await node.find(FAILURE_COUNT)).toMatchObject({ value: 4, updatedBy: 'bob' });
  });

  it('MFA-2 a write of the present value leaves the time from which rules count', async () => {
    const node = await startNode();
    const change = (value: number, version: number) =>
      node.change({ key: FAILURE_COUNT, value, version, changedBy: 'alice' });
    const { updatedAt } = await change(3, 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await change(3, 1)).toMatchObject({ version: 2, updatedAt });
    const changed = await change(4, 2);
    expect(changed.updatedAt!.getTime()).toBeGreaterThan(updatedAt!.getTime());
  });

  it('SYS-2 reads values of every type as they were written', async () => {
    const node = await startNode();
    await node.change({ key: WHITELIST_ENABLED, value: true, version: 0, changedBy: 'a' });
    await node.change({ key: WHITELIST_VALUES, value: '10.0.0.0/8, ::1', version: 0, changedBy: 'a' });
    const other = await startNode({ source: kind.connect() });
    expect(await other.read(loginParameters)).toEqual({
      failureWindowSeconds: 600,
      failureCount: 5,
      ipWhitelistEnabled: true,
      ipWhitelistValues: '10.0.0.0/8, ::1',
    });
  });

  it('SYS-2 an outdated version is 409 and changes nothing', async () => {
    const node = await startNode();
    await node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'alice' });
    for (const version of [0, 2]) {
      const change = node.change({ key: FAILURE_COUNT, value: 9, version, changedBy: 'bob' });
      await expect(change).rejects.toMatchObject({ statusCode: 409, code: 'PARAMETER_VERSION_CONFLICT' });
    }
    expect(await node.find(FAILURE_COUNT)).toMatchObject({ value: 3, version: 1, updatedBy: 'alice' });
  });

  it('SYS-2 of concurrent writers with one version exactly one wins, across nodes', async () => {
    const nodes = [await startNode(), await startNode({ source: kind.connect() })];
    const recorded: number[] = [];
    const audited = await startNode({
      source: kind.connect(),
      onChange: ({ newValue }) => void recorded.push(newValue as number),
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        [...nodes, audited][index % 3]!.change({
          key: FAILURE_COUNT,
          value: 100 + index,
          version: 0,
          changedBy: `w${index}`,
        }),
      ),
    );
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(won.length).toBe(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PARAMETER_VERSION_CONFLICT' });
    }
    expect((await source.read([FAILURE_COUNT]))[0]).toMatchObject({ value: String(won[0]!.value), version: 1 });
    // The audit hook is called for the winner only, and only if its own node won.
    expect(recorded).toEqual(recorded.length === 0 ? [] : [won[0]!.value]);
  });

  it('SYS-2 a change that breaks a rule of its table is 400 with the rule', async () => {
    const node = await startNode();
    const change = node.change({ key: MIN_LENGTH, value: 33, version: 0, changedBy: 'a' });
    await expect(change).rejects.toMatchObject({
      statusCode: 400,
      code: 'PARAMETER_INVALID',
      errors: [{ pointer: '/value', detail: `${MIN_LENGTH} must not exceed ${MAX_LENGTH}` }],
    });
    expect(await node.find(MIN_LENGTH)).toMatchObject({ value: 6, version: 0 });
  });

  it('SYS-2 two changes, each valid alone, cannot break a rule together, across nodes', async () => {
    for (let round = 0; round < 5; round += 1) {
      await kind.empty();
      source = kind.connect();
      const nodes = [await startNode(), await startNode({ source: kind.connect() })] as const;
      const outcomes = await Promise.allSettled([
        nodes[0].change({ key: MIN_LENGTH, value: 20, version: 0, changedBy: 'a' }),
        nodes[1].change({ key: MAX_LENGTH, value: 10, version: 0, changedBy: 'b' }),
      ]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PARAMETER_INVALID' });
      }
    }
  });

  it('SYS-2 concurrent changes of different parameters all succeed', async () => {
    const nodes = [await startNode(), await startNode({ source: kind.connect() })] as const;
    await Promise.all([
      nodes[0].change({ key: MIN_LENGTH, value: 8, version: 0, changedBy: 'a' }),
      nodes[1].change({ key: MAX_LENGTH, value: 40, version: 0, changedBy: 'b' }),
      nodes[1].change({ key: FAILURE_COUNT, value: 7, version: 0, changedBy: 'b' }),
    ]);
    const late = await startNode({ source: kind.connect() });
    expect(await late.read(passwordParameters)).toEqual({ minLength: 8, maxLength: 40, requireDigit: false });
    expect((await late.read(loginParameters)).failureCount).toBe(7);
  });

  it('SYS-2 AU-14 the audit hook receives old value, new value and actor before the acknowledgement', async () => {
    const changes: ParameterChange[] = [];
    const node = await startNode({ onChange: async (change) => void changes.push(change) });
    await node.change({ key: FAILURE_COUNT, value: 3, version: 0, changedBy: 'alice', request: 'the request' });
    await node.change({ key: FAILURE_COUNT, value: 4, version: 1, changedBy: 'bob' });
    expect(changes).toMatchObject([
      { key: FAILURE_COUNT, oldValue: 5, newValue: 3, version: 1, changedBy: 'alice', request: 'the request' },
      { key: FAILURE_COUNT, oldValue: 3, newValue: 4, version: 2, changedBy: 'bob' },
    ]);
  });

  it('AU-14 a change that the audit hook rejects is 503 and is not made', async () => {
    const node = await startNode({
      onChange: ({ newValue }) => {
        if (newValue === 9) throw new Error('the audit log is away');
      },
    });
    const change = node.change({ key: FAILURE_COUNT, value: 9, version: 0, changedBy: 'a' });
    await expect(change).rejects.toMatchObject({
      statusCode: 503,
      code: 'PARAMETER_CHANGE_NOT_RECORDED',
      cause: { message: 'the audit log is away' },
    });
    expect(await node.find(FAILURE_COUNT)).toMatchObject({ value: 5, version: 0 });
    expect((await source.read([FAILURE_COUNT]))[0]).toMatchObject({ version: 0 });
    expect(await node.change({ key: FAILURE_COUNT, value: 8, version: 0, changedBy: 'a' })).toMatchObject({
      version: 1,
    });
  });

  it('AU-14 nobody sees a change before the audit hook has resolved', async () => {
    let take = () => {};
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    let called = () => {};
    const isCalled = new Promise<void>((resolve) => {
      called = resolve;
    });
    const clock = createClock();
    const other = await startNode({ source: kind.connect(), now: clock.now });
    const node = await startNode({
      onChange() {
        called();
        return taken;
      },
    });
    const change = node.change({ key: FAILURE_COUNT, value: 9, version: 0, changedBy: 'a' });
    await isCalled;
    expect((await node.read(loginParameters)).failureCount).toBe(5);
    // PGlite has one connection, which the change occupies.
    if (kindName !== 'PGlite') {
      clock.advance(2000);
      expect((await other.read(loginParameters)).failureCount).toBe(5);
    }
    take();
    await change;
    expect((await node.read(loginParameters)).failureCount).toBe(9);
    clock.advance(2000);
    expect((await other.read(loginParameters)).failureCount).toBe(9);
  });

  it('AU-14 a change whose audit hook takes too long fails and is not made', async () => {
    const node = await startNode();
    const slow = createSystemParameters({
      tables,
      source,
      timeoutMillis: 300,
      onChange: () => new Promise(() => {}),
    });
    await slow.start();
    const change = slow.change({ key: FAILURE_COUNT, value: 9, version: 0, changedBy: 'a' });
    await expect(change).rejects.toMatchObject({ statusCode: 503 });
    expect(await node.change({ key: FAILURE_COUNT, value: 8, version: 0, changedBy: 'a' })).toMatchObject({
      version: 1,
      value: 8,
    });
  });

  it('LGN-8 a guard can require confirmation: 409 with its reason until confirm is true', async () => {
    const guarded = defineParameterTable({
      definitions: loginParameters,
      guard: ({ values }, { request }) =>
        values.ipWhitelistEnabled && !values.ipWhitelistValues.includes(request as string)
          ? 'would exclude your own address'
          : null,
    });
    const node = await startNode({ tables: [guarded] });
    const change = { key: WHITELIST_ENABLED, value: true, version: 0, changedBy: 'a', request: '10.0.0.1' };
    for (const confirm of [undefined, false]) {
      await expect(node.change({ ...change, confirm })).rejects.toMatchObject({
        statusCode: 409,
        code: 'PARAMETER_CONFIRMATION_NEEDED',
        clientAction: 'confirm',
        errors: [{ pointer: '/confirm', detail: 'would exclude your own address' }],
      });
    }
    expect(await node.find(WHITELIST_ENABLED)).toMatchObject({ value: false, version: 0 });
    expect(await node.change({ ...change, confirm: true })).toMatchObject({ value: true, version: 1 });
    const repaired = { key: WHITELIST_VALUES, value: '10.0.0.1', version: 0, changedBy: 'a', request: '10.0.0.1' };
    expect(await node.change(repaired)).toMatchObject({ version: 1 });
  });

  it('SYS-1 an unknown key is 404', async () => {
    const node = await startNode();
    const unknown = { statusCode: 404, code: 'PARAMETER_UNKNOWN' };
    await expect(node.find('no.such.key')).rejects.toMatchObject(unknown);
    await expect(node.find('__proto__')).rejects.toMatchObject(unknown);
    await expect(node.change({ key: 'no.such.key', value: 1, version: 0, changedBy: 'a' })).rejects.toMatchObject(
      unknown,
    );
  });

  it('SYS-1 a new release applies new defaults to unchanged parameters and leaves changed ones alone', async () => {
    const old = await startNode();
    await old.change({ key: MIN_LENGTH, value: 6, version: 0, changedBy: 'alice' });
    const newer = {
      ...passwordParameters,
      minLength: { ...passwordParameters.minLength, default: 10 },
      maxLength: { ...passwordParameters.maxLength, default: 64 },
    };
    const node = await startNode({ tables: [{ definitions: newer }], source: kind.connect() });
    expect(await node.read(newer)).toMatchObject({ minLength: 6, maxLength: 64 });
    expect((await source.read([MAX_LENGTH]))[0]).toMatchObject({ value: '64', version: 0 });
    // Nodes of the older release keep its defaults.
    expect((await old.find(MAX_LENGTH)).value).toBe(32);
  });

  it('LP-24 a stored value that a release no longer accepts is replaced by its fallback, with a warning', async () => {
    const node = await startNode();
    await node.change({ key: FAILURE_COUNT, value: 900, version: 0, changedBy: 'a' });
    const stricter = { ...loginParameters, failureCount: { ...loginParameters.failureCount, maximum: 10 } };
    const warnings: ParameterWarning[] = [];
    const clock = createClock();
    const later = await startNode({
      tables: [{ definitions: stricter }],
      warn: (warning) => warnings.push(warning),
      now: clock.now,
    });
    for (let count = 0; count < 3; count += 1) {
      clock.advance(2000);
      expect((await later.read(stricter)).failureCount).toBe(5);
    }
    const reason = 'the stored value must be a whole number from 1 to 10';
    expect(warnings).toEqual([{ kind: 'stored-value-refused', key: FAILURE_COUNT, reason }]);
    expect(await later.find(FAILURE_COUNT)).toMatchObject({ value: 5, version: 1, fault: reason });
    expect(later.health().faults).toEqual([{ key: FAILURE_COUNT, reason }]);
    expect(await later.change({ key: FAILURE_COUNT, value: 7, version: 1, changedBy: 'a' })).toMatchObject({
      value: 7,
      fault: null,
    });
    expect(later.health().faults).toEqual([]);
  });
});
