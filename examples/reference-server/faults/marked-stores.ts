import type { StoreName } from './node.js';

/**
 * The stores in which the server keeps nonces under a mark (RPL-6). Every scenario of losses and clocks runs on each of
 * them; a test walks this list.
 */
export const MARKED_STORES = ['postgres', 'redis', 'redis-cluster', 'embedded'] as const satisfies readonly StoreName[];

export type MarkedStore = (typeof MARKED_STORES)[number];
