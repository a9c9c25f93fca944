import auditLog from '@sallyport/audit-log';
import { options } from '../../options.mjs';

export default async function audit(app) {
  await app.register(auditLog, options);
}
