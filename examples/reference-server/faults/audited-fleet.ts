import { setTimeout as sleep } from 'node:timers/promises';
import { callFor } from './api-client.js';
import type { Counts } from './scenarios/scenario.js';
import type { Ask } from './shadow.js';
import type { AccountNames } from './state-changes.js';
import { loadParameters } from './writing-operations.js';

/** The number of requests of each operation in a cell. */
export const requestsOfEach = ({ rounds }: Pick<Counts, 'rounds'>) => Math.ceil(rounds / 4);

/** The names of accounts that exist before the triggers. */
export async function noteAccounts(ask: Ask, names: AccountNames): Promise<void> {
  type Row = { id: string; username: string };
  for (const { id, username } of await ask<Row>('select id, username from administrators')) {
    names.note(`admin:${id}`, username);
  }
}

export async function setLoadParameters(origin: string, token: string): Promise<void> {
  for (const [key, value] of Object.entries(loadParameters)) {
    const path = `/admin/system-parameters/${key}`;
    const { version } = await callFor(200, origin, path, { token });
    await callFor(200, origin, path, { method: 'PUT', token, body: { value, version, confirm: true } });
  }
  // Every node applies them within two seconds (SYS-3).
  await sleep(2000);
}
