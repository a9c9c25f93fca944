import { accounts } from './account-checks.js';
import { auditLog, checkpoints } from './audit-checks.js';
import { builtConsole } from './console-checks.js';
import { database } from './database-checks.js';
import { deliveries } from './delivery-checks.js';
import { developmentKeys, earlierKeys, sharedKeys, weakKeys } from './key-checks.js';
import { encryption, rateLimits } from './limit-checks.js';
import { messages } from './message-checks.js';
import { https, listening, proxies } from './network-checks.js';
import { parameters } from './parameter-checks.js';
import { passwords } from './password-checks.js';
import { plugins } from './plugin-checks.js';
import type { SettingCheck, StoreCheck } from './preflight-check.js';
import { logging, node, processState } from './process-checks.js';
import { redis } from './redis-checks.js';
import { folders, storage } from './storage-checks.js';
import { credentials } from './test-credentials.js';

/** Run before anything is opened. */
export const settingChecks: readonly SettingCheck[] = [
  plugins,
  weakKeys,
  sharedKeys,
  earlierKeys,
  developmentKeys,
  credentials,
  proxies,
  listening,
  https,
  encryption,
  rateLimits,
  messages,
  passwords,
  storage,
  folders,
  checkpoints,
  deliveries,
  builtConsole,
  logging,
  processState,
  node,
];

/** Checks of the stores and their content. */
export const storeChecks: readonly StoreCheck[] = [database, redis, auditLog, accounts, parameters];

/** Reserved ids: a deployment's own checks must not use them. */
export const ownIds: ReadonlySet<string> = new Set(
  [...settingChecks, ...storeChecks].map(({ id }) => id).concat('preflight', 'profile'),
);
