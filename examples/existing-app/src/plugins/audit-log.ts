import { type AuditLogOptions, auditLog } from '@sallyport/audit-log';
import { createFileSink } from '@sallyport/audit-log/file';

export default auditLog;
export const autoConfig: AuditLogOptions = {
  sink: await createFileSink({ path: process.env.AUDIT_FILE ?? 'audit.ndjson' }),
  actorOf: ({ user }) => user?.sub ?? null,
  decide: ({ url }) => (url.startsWith('/documentation') ? false : undefined),
};
