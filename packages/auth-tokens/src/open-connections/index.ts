export { type ConnectionEnds, type WaitingConnection, watchConnections } from './connection-hooks.js';
export { createOpenConnections, type OpenConnections, tellChanges } from './open-connections.js';
