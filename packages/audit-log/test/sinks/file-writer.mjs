import { createAuditRecord, createRecordIds } from '@sallyport/audit-log';
import { createFileSink } from '@sallyport/audit-log/file';

// Writes records to the given file endlessly, and prints the id of each acknowledged record.
const sink = await createFileSink({ path: process.argv[2] });
const nextId = createRecordIds(Date.now);

async function write() {
  for (;;) {
    const record = createAuditRecord({ action: 'thing.create' }, { id: nextId(), occurredAt: Date.now() });
    await sink.append([record]);
    process.stdout.write(`${record.id}\n`);
  }
}

for (let writer = 0; writer < 8; writer += 1) void write();
