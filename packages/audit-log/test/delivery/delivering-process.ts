import { readFileSync } from 'node:fs';
import { createAuditDelivery, createNdjsonTarget, createSyslogTarget } from '@sallyport/audit-log/delivery';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

// One node that delivers to a syslog and an HTTP receiver until it is killed. It prints what it does.
const { databaseUrl, folder, syslogPort, ndjsonUrl } = JSON.parse(process.argv[2] ?? '');
const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');
const database = drizzle(postgres(databaseUrl, { max: 3, fetch_types: false, onnotice: () => {} }));
const timeoutMillis = 1500;
const targets = {
  syslog: createSyslogTarget({
    ...{ host: '127.0.0.1', port: syslogPort, servername: 'server.test', timeoutMillis },
    ...{ ca: read('ca.crt'), cert: read('client.crt'), key: read('client.key') },
  }),
  ndjson: createNdjsonTarget({ url: ndjsonUrl, timeoutMillis }),
};
const options = { maxBatch: 200, pollMillis: 50, leaseSeconds: 2, maxRetrySeconds: 1 };
const deliveries = Object.entries(targets).map(([destination, target]) =>
  createAuditDelivery({ database, destination, target, ...options }),
);
for (const delivery of deliveries) delivery.start();
setInterval(() => {
  process.stdout.write(`${deliveries.map(({ destination, status }) => `${destination}:${status}`).join(' ')}\n`);
}, 20);
