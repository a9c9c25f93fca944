// The PostgreSQL sink has its own entry point, because the main one must not load drizzle-orm, an optional peer
// dependency.
export type { AuditSink } from './audit-sink.js';
export { type AuditFileLine, createFileSink, type FileSink, type FileSinkOptions, readAuditFile } from './file-sink.js';
export { createMemorySink, MEMORY_SINK_DEFAULTS, type MemorySink, type MemorySinkOptions } from './memory-sink.js';
export { RecentIds } from './recent-ids.js';
