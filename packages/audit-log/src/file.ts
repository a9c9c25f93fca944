export { createFileSink, type FileSink, type FileSinkOptions } from './sinks/file-sink.js';
export { type AuditFileLine, readAuditFile } from './sinks/read-file.js';
