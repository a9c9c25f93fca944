import type { components } from '@sallyport/api-client';

export type Factor = components['schemas']['SecondFactor'];

/** The own factors in the cache. */
export const FACTORS_KEY = ['second-factors'] as const;
