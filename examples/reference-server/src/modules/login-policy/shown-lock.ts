import { maskMobile } from '../../http/mobile-number.js';
import type { PresentLock } from './present-locks.js';

/** A lock as administrators see it. */
export type ShownLock = PresentLock;

/** The number of an app user is masked. */
export function showLock({ username, ...lock }: PresentLock): ShownLock {
  return { ...lock, username: lock.audience === 'app' && username !== null ? maskMobile(username) : username };
}
