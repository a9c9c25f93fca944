import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createSiteverify } from '../../../src/modules/captcha/siteverify.js';

it("CAP-3 a provider's token that a page got for the app opens nothing of the administrators", async () => {
  let action: string | undefined;
  const provider = createServer((_request, response) => response.end(JSON.stringify({ success: true, action })));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = provider.address() as AddressInfo;
    const config = { 'captcha.verify-url': `http://127.0.0.1:${port}/`, 'captcha.verify-secret': 's' };
    const external = createSiteverify(config);
    const ask = async (purpose: string, reported?: string) => {
      action = reported;
      return external?.verify({ token: 't', clientIp: undefined, purpose, signal: AbortSignal.timeout(30_000) });
    };
    expect(await ask('login', 'app-login')).toBe(false);
    expect(await ask('login', 'login')).toBe(true);
    // A widget without an action, and one whose action names no purpose, as providers in use have them.
    expect([await ask('login'), await ask('login', ''), await ask('login', 'submit')]).toEqual([true, true, true]);
  } finally {
    await new Promise((resolve) => provider.close(resolve));
  }
});
