export { createPostgresAuditSink, type PostgresAuditSink } from './postgres-sink.js';
export { type AuditSinkLog, POSTGRES_SINK_DEFAULTS, type PostgresSinkOptions } from './postgres-sink-options.js';
