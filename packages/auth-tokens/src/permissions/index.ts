export type { PermissionChanges } from './kept-permissions.js';
export { openPermissions } from './request-permissions.js';
export type { CountWithSession, SessionCount, SessionCounted } from './session-count.js';
