export { type ConnectionEnds, hasSession, type WaitingConnection, watchConnections } from './connection-hooks.js';
export { createOpenConnections, tellChanges } from './open-connections.js';
export { announcesBody } from './request-body.js';
