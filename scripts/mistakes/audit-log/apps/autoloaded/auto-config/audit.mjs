import auditLog from '@sallyport/audit-log';
import { options } from '../../options.mjs';

export default auditLog;
export const autoConfig = options;
