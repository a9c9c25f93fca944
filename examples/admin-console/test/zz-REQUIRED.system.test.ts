import { afterAll, beforeAll, describe } from 'vitest';
import { describeAdministrators } from './places/administrators.js';
import { describePayments } from './places/payments.js';
import { describeProfile } from './places/profile.js';
import { describeRoles } from './places/roles.js';
import { buildConsole } from './support/built-console.js';
import { type ConsoleWorld, openWorld } from './support/console-world.js';

describe('zz', { timeout: 120000 }, () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    await buildConsole();
    for (let i = 0; i < 20; i++)
      try {
        world = await openWorld({ origin: 'http://127.0.0.1:4726' } as any, 'REQUIRED');
        break;
      } catch (e) {
        await new Promise((r) => setTimeout(r, 3000));
      }
  }, 200000);
  afterAll(async () => {
    await world?.close();
  });
  describe('payments', () => describePayments(() => world));
  describe('administrators', () => describeAdministrators(() => world));
  describe('roles', () => describeRoles(() => world));
  describe('profile', () => describeProfile(() => world));
});
