export { networksOf } from './client-networks.js';
export { createSendBudgets } from './send-budget.js';
export { createTurns, type Turn, type Turns } from './turns.js';
export { createUsedShare } from './used-share.js';
