import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EnvelopeKeyUnavailableError } from '../../src/errors.js';
import { createRefusalLog } from '../../src/server/refusal-log.js';

describe('the log of refusals', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const because = (reason: string) => new EnvelopeKeyUnavailableError({ cause: new Error(reason) });

  it('ORD-3 has one line at once, and one for each interval with the number of refusals', () => {
    const warn = vi.fn();
    const log = createRefusalLog({ warn });
    for (let i = 0; i < 500; i++) log.note(because('full'));
    expect(warn.mock.calls.map(([fields]) => fields)).toEqual([{ refused: 1, why: 'full' }]);
    vi.advanceTimersByTime(9_999);
    expect(warn).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1);
    for (let i = 0; i < 7; i++) log.note(because('away'));
    vi.advanceTimersByTime(10_000);
    vi.advanceTimersByTime(60_000);
    log.note(because('full'));
    expect(warn.mock.calls.map(([fields]) => fields)).toEqual([
      { refused: 1, why: 'full' },
      { refused: 499, why: 'full' },
      { refused: 7, why: 'away' },
      { refused: 1, why: 'full' },
    ]);
  });

  it('ORD-3 counts errors without a stack, and logs what a provider says without a key', () => {
    const warn = vi.fn();
    const log = createRefusalLog({ warn });
    const refusal = because(`the key ${'a1'.repeat(32)} is locked`);
    expect(refusal.stack).toBeUndefined();
    log.note(refusal);
    expect(warn.mock.calls[0]![0]).toEqual({ refused: 1, why: 'the key … is locked' });
  });

  it('writes nothing after it is closed', () => {
    const warn = vi.fn();
    const log = createRefusalLog({ warn });
    log.note(because('full'));
    log.note(because('full'));
    log.close();
    log.note(because('full'));
    vi.advanceTimersByTime(100_000);
    expect(warn).toHaveBeenCalledOnce();
  });
});
