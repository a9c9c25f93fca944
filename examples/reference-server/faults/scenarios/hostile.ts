import { randomBytes, randomUUID } from 'node:crypto';
import { startAttackerProxy } from '../hostile/attacker-proxy.js';
import { runHostile } from '../hostile/run-hostile.js';
import { victims } from '../hostile/victims.js';
import { startFleet } from '../node.js';
import type { Finding } from '../observed-run.js';
import { readServiceKey } from '../sealed-copy.js';
import type { Scenario } from './scenario.js';

const LEASE_SECONDS = 10;

/**
 * ENV-9: an attacker between the shipped clients and two nodes with different keys. He forges every kind of answer from
 * the first contact on, after the first sealed request, and when the key changes. He counts what leaves in the clear,
 * and what he can read with a key pair of his own.
 */
export const hostile: Scenario = {
  name: 'hostile',
  meaning:
    'a man in the middle of the shipped clients, forged answers of every kind at every step; --rounds 2 for pairs',
  stores: ['postgres'],
  async run({ databaseUrl, say }, { rounds }) {
    const secret = randomUUID();
    const fleet = await startFleet({
      ...{ databaseUrl, redisUrl: null, store: 'postgres', leaseSeconds: LEASE_SECONDS, nodes: 2, isShipped: true },
      environmentOf: (index) => ({
        SERVICE_API_ENCRYPTION_KEY_ID: `node-${index}`,
        SERVICE_API_ENCRYPTION_PRIVATE_KEY: randomBytes(32).toString('hex'),
      }),
    });
    const proxy = await startAttackerProxy(secret);
    try {
      const [one, other] = fleet.nodes.map(({ origin }) => origin) as [string, string];
      const keys = await Promise.all([one, other].map(readServiceKey));
      const isShort = rounds < 2;
      const isShared = rounds < 1;
      const clients = Object.keys(victims);
      say(`${isShort ? 'each forgery alone' : 'forgeries in pairs'}, ${clients.join(', ')}`);
      const { rows, violations } = await runHostile({
        ...{ proxy, origins: [one, other], token: await fleet.signIn(), secret, isShort, isShared, clients, say },
        trustedKeys: keys.map(({ publicKey }) => publicKey),
      });
      const attempts = rows.reduce(
        (sum, { sealed, clearBefore, clearAfter }) => sum + sealed + clearBefore + clearAfter,
        0,
      );
      const finding: Finding = {
        ...{ scenario: 'ENV-9', store: 'postgres', fault: 'man in the middle', attempts, violations, hostile: rows },
        times: rows.reduce((sum, { attacks }) => sum + attacks, 0),
        ...{ keys: 0, acknowledged: 0, submitted: 0, unknown: 0, slowestMillis: 0, rows: 0 },
      };
      return [finding];
    } finally {
      await proxy.close();
      await fleet.close();
    }
  },
};
