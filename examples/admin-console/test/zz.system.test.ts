import { afterAll, beforeAll, describe } from 'vitest';
import { preview, build } from 'vite';
import { describeAdministrators } from './places/administrators.js';
import { describePayments } from './places/payments.js';
import { describeProfile } from './places/profile.js';
import { describeRoles } from './places/roles.js';
import { serveConsole } from './support/served-console.js';
import { openWorld, type ConsoleWorld } from './support/console-world.js';
describe('zz', { timeout: 120000 }, () => {
  let world: ConsoleWorld; let served: any;
  beforeAll(async () => {
    const origin = 'http://127.0.0.1:4713';
    served = await serveConsole(origin);
    for (let i = 0; i < 10; i++) try { world = await openWorld({ origin } as any, served.origin, process.env.ZZ_MODE ?? 'OFF'); break; } catch (e) { console.log(String(e)); await new Promise(r => setTimeout(r, 3000)); }
  }, 200000);
  afterAll(async () => { await world?.close(); await served?.close(); });
  describe('payments', () => describePayments(() => world));
  describe('administrators', () => describeAdministrators(() => world));
  describe('roles', () => describeRoles(() => world));
  describe('profile', () => describeProfile(() => world));
});
