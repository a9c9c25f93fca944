export { createFileSink, type FileSink, type FileSinkOptions } from './file-sink.js';
export { type AuditFileLine, readAuditFile } from './read-file.js';
