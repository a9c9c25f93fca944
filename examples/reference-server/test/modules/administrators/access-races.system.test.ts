import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../../scripts/test-database.js';
import { type App, buildApp } from '../../../src/app.js';
import { type Actor, actor, roomyConfig, root, token } from '../../support/accounts.js';

/** On PostgreSQL, where transactions run concurrently. */
describe('races for the last permission to grant', () => {
  let database: TestDatabase;
  let folder: string;
  let nodes: App[];
  let admin: Actor;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'sallyport-races-'));
    const config = roomyConfig(database.url, folder);
    nodes = [await buildApp(config), await buildApp(config)];
    admin = await root(nodes[0]!);
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Two administrators are the only holders of every permission. Each acts on a separate node, at the same time. */
  async function duel(move: (self: Actor, other: Actor) => { url: string; payload: object }): Promise<number[]> {
    const rivals = [await actor(nodes[0]!, admin, ['*']), await actor(nodes[0]!, admin, ['*'])] as const;
    const [first, second] = rivals;
    await first.call('PUT', `/admin/administrators/${admin.id}`, { roleIds: [] });
    const answers = await Promise.all(
      [move(first, second), move(second, first)].map(({ url, payload }, i) =>
        nodes[i]!.inject({ method: 'PUT', url, payload, headers: rivals[i]!.headers }),
      ),
    );
    // Even the remaining administrator may have lost the session, so the test signs in again.
    let left = 0;
    for (const { username } of rivals) {
      const headers = await token(nodes[0]!, username).catch(() => null);
      const payload = { roleIds: [admin.roleId] };
      const url = `/admin/administrators/${admin.id}`;
      if (headers === null) continue;
      if ((await nodes[0]!.inject({ method: 'PUT', url, headers, payload })).statusCode === 200) left += 1;
    }
    expect(left).toBe(1);
    for (const { id } of rivals) await admin.call('DELETE', `/admin/administrators/${id}`);
    return answers.map(({ statusCode }) => statusCode).sort();
  }

  const ROUNDS = 3;

  it('USR-1 two administrators who disable each other at the same time leave one enabled', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const statuses = await duel((_self, other) => ({
        url: `/admin/administrators/${other.id}`,
        payload: { disabled: true },
      }));
      expect(statuses[0]).toBe(200);
      expect([401, 403]).toContain(statuses[1]);
    }
  });

  it('USR-1 of two who give up their own permissions at the same time one keeps them, by account and by role', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const byAccount = await duel((self) => ({ url: `/admin/administrators/${self.id}`, payload: { roleIds: [] } }));
      expect(byAccount).toEqual([200, 409]);
      const byRole = await duel((self) => ({ url: `/admin/roles/${self.roleId}`, payload: { permissions: [] } }));
      expect(byRole).toEqual([200, 409]);
    }
  });
});
