export {
  type AuditFileLine,
  createFileSink,
  type FileSink,
  type FileSinkOptions,
  readAuditFile,
} from './sinks/index.js';
