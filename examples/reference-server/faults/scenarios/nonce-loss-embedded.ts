import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { loseInTurn } from '../observed-loss.js';
import type { Finding } from '../observed-run.js';
import { shippedGate } from '../shipped-settings.js';
import type { Site } from './scenario.js';
import { startSharedFleet } from './shared-fleet.js';

/** One node, whose database is in its data folder. */
export async function loseInEmbedded(site: Site): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-nonces-'));
  const database = join(folder, 'pglite');
  const older = `${folder}-older`;
  const shared = await startSharedFleet(site, { environment: { ...shippedGate, SERVICE_DATA_DIR: folder } });
  const node = shared.fleet.nodes[0]!;
  const whileAway = async (work: () => Promise<unknown>) => {
    await node.kill();
    await work();
    await node.start();
  };
  const flush = async () => {
    const client = await PGlite.create(database);
    await client.exec('truncate ttl_entries');
    await client.close();
  };
  const copy = async () => {
    await node.stop();
    await cp(database, older, { recursive: true });
    await node.start();
  };
  const restore = async () => {
    await rm(database, { recursive: true });
    await cp(older, database, { recursive: true });
  };
  try {
    return await loseInTurn(site, shared, [
      { fault: 'kill -9 and restart', lose: () => whileAway(async () => {}) },
      { fault: 'flush while the node is down', lose: () => whileAway(flush) },
      { fault: 'older copy of the data folder put back', prepare: copy, lose: () => whileAway(restore) },
    ]);
  } finally {
    await shared.close();
    await Promise.all([folder, older].map((path) => rm(path, { recursive: true, force: true })));
  }
}
