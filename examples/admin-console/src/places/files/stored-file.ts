import type { components } from '@sallyport/api-client';

export type StoredFile = components['schemas']['StoredFile'];

export const FILES_KEY = ['files'] as const;
