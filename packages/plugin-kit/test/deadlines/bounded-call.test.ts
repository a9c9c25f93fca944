import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Caller, createBoundedCall, DeadlineSetupError } from '../../src/deadlines/index.js';

describe('a bounded call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('hands on the outcome of the call', async () => {
    const bounded = createBoundedCall({ timeoutMillis: 100 });
    await expect(bounded(async () => 'done')).resolves.toBe('done');
    await expect(bounded(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await expect(
      bounded(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
  });

  it('REL-2 rejects after its limit, and tells the call that its caller gave up', async () => {
    const bounded = createBoundedCall({ timeoutMillis: 100 });
    let seen: Caller | undefined;
    const call = bounded((caller) => {
      seen = caller;
      return new Promise(() => {});
    });
    const rejected = expect(call).rejects.toThrow('No answer within 100 ms');
    await vi.advanceTimersByTimeAsync(0);
    expect(seen?.gaveUp).toBe(false);
    await vi.advanceTimersByTimeAsync(110);
    await rejected;
    expect(seen?.gaveUp).toBe(true);
  });

  it('takes another limit for one call', async () => {
    const bounded = createBoundedCall({ timeoutMillis: 100 });
    const rejected = expect(bounded(() => new Promise(() => {}), 300)).rejects.toThrow('No answer within 300 ms');
    await vi.advanceTimersByTimeAsync(310);
    await rejected;
  });

  it('REL-2 refuses the next call while too many are without an outcome, those that were given up included', async () => {
    const bounded = createBoundedCall({ timeoutMillis: 10, maxUnsettled: 2 });
    let settle: (value: string) => void = () => {};
    const first = bounded(
      () =>
        new Promise<string>((resolve) => {
          settle = resolve;
        }),
    );
    const second = bounded(() => new Promise(() => {}));
    const late = [expect(first).rejects.toThrow('No answer'), expect(second).rejects.toThrow('No answer')];
    await vi.advanceTimersByTimeAsync(20);
    await Promise.all(late);
    await expect(bounded(async () => 'third')).rejects.toThrow('2 calls are still without an answer');
    settle('at last');
    await vi.advanceTimersByTimeAsync(0);
    await expect(bounded(async () => 'third')).resolves.toBe('third');
  });

  it('turns every reason into the error of its owner', async () => {
    const bounded = createBoundedCall({
      timeoutMillis: 10,
      maxUnsettled: 1,
      toError: (cause) => new Error('unavailable', { cause }),
    });
    await expect(bounded(() => Promise.reject(new Error('failed')))).rejects.toThrow(
      expect.objectContaining({ message: 'unavailable', cause: new Error('failed') }),
    );
    const late = expect(bounded(() => new Promise(() => {}))).rejects.toThrow('unavailable');
    await vi.advanceTimersByTimeAsync(20);
    await late;
    await expect(bounded(async () => 1)).rejects.toThrow('unavailable');
  });
});

it('ADP-1 refuses bad options with their names', () => {
  const bad = { timeoutMillis: 0, maxUnsettled: 'x', timeout: 5 } as never;
  expect(() => createBoundedCall(bad)).toThrow(DeadlineSetupError);
  expect(() => createBoundedCall(bad)).toThrow(/timeout is not an option; did you mean timeoutMillis\?/);
});
