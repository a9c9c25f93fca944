import { accounts } from './account-checks.js';
import { database } from './database-checks.js';
import { developmentKeys, earlierKeys, sharedKeys, weakKeys } from './key-checks.js';
import { encryption, rateLimits } from './limit-checks.js';
import { messages } from './message-checks.js';
import { https, listening, proxies } from './network-checks.js';
import { parameters } from './parameter-checks.js';
import { plugins } from './plugin-checks.js';
import type { SettingCheck, StoreCheck } from './preflight-check.js';
import { logging, node, processState } from './process-checks.js';
import { redis } from './redis-checks.js';
import { checkpoints, folders, storage } from './storage-checks.js';
import { credentials } from './test-credentials.js';

/** Before anything is opened. */
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
  storage,
  folders,
  checkpoints,
  logging,
  processState,
  node,
];

/** Of what is stored, and where. */
export const storeChecks: readonly StoreCheck[] = [database, redis, accounts, parameters];

/** Ids that a deployment's own checks can't have. */
export const ownIds: ReadonlySet<string> = new Set(
  [...settingChecks, ...storeChecks].map(({ id }) => id).concat('preflight', 'profile'),
);
