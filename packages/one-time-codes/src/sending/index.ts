export { networksOf } from './client-networks.js';
export { createMessages, MARGIN_MILLIS } from './messages.js';
export { type Admission, createSendBudgets } from './send-budget.js';
export { createTurns, type Turns } from './turns.js';
export { createUsedShare } from './used-share.js';
