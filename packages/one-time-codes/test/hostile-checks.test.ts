import { expect, it } from 'vitest';
import { address, freshRecipient, other, timedCodes } from './test-codes.js';

it('OTC-1 a check for another purpose does not shorten the count of the attempts of a handle', async () => {
  const { engine, send, outcome, pass } = timedCodes();
  const recipient = freshRecipient();
  for (let i = 0; i < 10; i += 1) {
    await send(recipient, { from: address(i) });
    pass(300);
  }
  const { handle, code } = await send(recipient, { purpose: 'login' });
  await outcome(recipient, other(code!), { handle, purpose: 'recover' });
  for (let second = 0; second < 1800; second += 60) {
    await outcome(recipient, other(code!), { handle, purpose: 'login' });
    pass(60);
  }
  expect((await engine.explain(recipient)).wrongCodes).toBe(5);
});

it('OTC-1 a code or handle that is no text is a wrong one, and a recipient is well-formed', async () => {
  const { engine } = timedCodes();
  const client = { recipient: 'ada@example.com', clientIp: '198.51.100.1' };
  for (const given of [123456, null, {}, []] as unknown as string[]) {
    expect(await engine.redeem({ ...client, code: given, handle: given })).toBe(false);
  }
  // They would share the hash of U+FFFD.
  await expect(engine.redeem({ ...client, recipient: 'ada\ud800', code: '1' })).rejects.toThrow(TypeError);
});
