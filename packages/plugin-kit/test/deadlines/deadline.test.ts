import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startDeadline, withinDeadline } from '../../src/deadlines/deadline.js';

/** Lets timers and immediates run that are due after so many milliseconds. */
const pass = (millis: number) => vi.advanceTimersByTimeAsync(millis);

describe('a deadline', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('REL-2 is reached when its time has passed, and not before', async () => {
    const reached = vi.fn();
    startDeadline(1000, reached);
    await pass(999);
    expect(reached).not.toHaveBeenCalled();
    await pass(10);
    expect(reached).toHaveBeenCalledOnce();
  });

  it('is not reached once it is cancelled, in its last turn neither', async () => {
    const reached = vi.fn();
    const cancel = startDeadline(4, reached);
    await pass(2);
    cancel();
    await pass(1000);
    expect(reached).not.toHaveBeenCalled();
  });

  it('gives work its outcome, or the error', async () => {
    const tooLate = () => new Error('too late');
    await expect(withinDeadline(Promise.resolve('done'), 1000, tooLate)).resolves.toBe('done');
    await expect(withinDeadline(Promise.reject(new Error('failed')), 1000, tooLate)).rejects.toThrow('failed');
    const late = expect(withinDeadline(new Promise(() => {}), 1000, tooLate)).rejects.toThrow('too late');
    await pass(1100);
    await late;
  });

  it('has nobody hear of work that fails later', async () => {
    let fail: (error: Error) => void = () => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const late = expect(withinDeadline(work, 100, () => new Error('too late'))).rejects.toThrow('too late');
    await pass(200);
    await late;
    fail(new Error('failed'));
    await pass(10);
  });
});

it('REL-2 a stop of the process, however long, uses up a quarter of a deadline', async () => {
  const outcome = withinDeadline(
    // An answer in four steps, each of which needs the event loop.
    (async () => {
      for (let step = 0; step < 4; step += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      return 'answered';
    })(),
    400,
    () => new Error('too late'),
  );
  const stop = performance.now() + 1000;
  while (performance.now() < stop);
  await expect(outcome).resolves.toBe('answered');
});
