// Fills the audit log with genuine rows: each has its place in the chain. They are copied to the table, which is
// several times as fast as the sink.
import { once } from 'node:events';
import { createRecordIds } from '@sallyport/audit-log';
import { createAuditChain } from '../../../../packages/audit-log/dist/chain/chain.js';
import { columnsOf } from '../../../../packages/audit-log/dist/records/record-columns.js';

/** The distance of two records, in milliseconds: a million are eleven days. */
const MILLIS_APART = 1000;
const START = Date.UTC(2026, 0);

/** A number from 0 to 1 that looks random and is the same in every run. */
function draw(index, salt) {
  let state = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
}

const pick = (values, share) => values[Math.floor(share * values.length)];
const COMMON = ['payment.create', 'payment.list', 'payment.read', 'profile.read', 'auth.login'];
const FEW = ['role.update', 'role.create', 'parameter.update', 'administrator.create', 'administrator.update'];

/** How often something occurs. One in a hundred fails; the last actor has a record in ten thousand, all old. */
const SHARES = { failure: 0.01, few: 0.02, actors: 500, addresses: 5000 };

export const timeOfRow = (sequence) => START + sequence * MILLIS_APART;
export const requestIdOfRow = (sequence) => `request-${sequence}`;

function recordOf(sequence, id) {
  const share = (salt) => draw(sequence, salt);
  const failed = share(1) < SHARES.failure;
  return {
    id,
    occurredAt: timeOfRow(sequence),
    actor: `admin:${Math.floor(share(2) * SHARES.actors)}`,
    action: share(3) < SHARES.few ? pick(FEW, share(4)) : pick(COMMON, share(4)),
    target: `payment:${Math.floor(share(5) * 1e6)}`,
    outcome: failed ? 'failure' : 'success',
    reason: failed ? 'INVALID_CREDENTIALS' : null,
    durationMillis: Math.round(share(6) * 400) / 10,
    parameters: { body: { payee: 'Ada Lovelace', amount: '12.50' } },
    clientIp: `10.0.${Math.floor((share(7) * SHARES.addresses) / 250)}.${Math.floor(share(7) * SHARES.addresses) % 250}`,
    extra: { requestId: requestIdOfRow(sequence), method: 'POST', path: '/admin/payments', terminal: 'web' },
  };
}

const cell = (value) => (value === null ? '\\N' : String(value).replaceAll('\\', '\\\\'));

/** Appends rows until the log has this number, and leaves the head of the chain behind the last. */
export async function fillAuditLog(client, key, upTo) {
  const chain = createAuditChain(key);
  const [stored] = await client`select sequence, mac from audit_chain_heads where chain = 'audit_records'`;
  let head = { sequence: Number(stored.sequence), mac: stored.mac };
  let now = 0;
  const nextId = createRecordIds(() => now);
  const stream = await client`copy audit_records (sequence, id, occurred_at, actor, action, target, outcome, reason,
    duration_millis, parameters, client_ip, extra, previous, mac, key_id) from stdin`.writable();
  let lines = '';
  while (head.sequence < upTo) {
    const sequence = head.sequence + 1;
    now = timeOfRow(sequence);
    const columns = columnsOf(recordOf(sequence, nextId()));
    const { previous, mac, keyId } = chain.link(head, columns);
    lines += `${[sequence, ...Object.values(columns), previous, mac, keyId].map(cell).join('\t')}\n`;
    head = { sequence, mac };
    if (sequence % 1000 > 0 && sequence < upTo) continue;
    if (!stream.write(lines)) await once(stream, 'drain');
    lines = '';
  }
  stream.end();
  await once(stream, 'finish');
  await client`update audit_chain_heads set sequence = ${head.sequence}, mac = ${head.mac}`;
  await client`vacuum analyze audit_records`;
}
