/** Values for examples. None of them belongs to a real person or key. */
export const INSTANT = 1_790_000_000_000;
export const LATER = 1_790_043_200_000;
export const ADMINISTRATOR_ID = '01997b6f-9c00-7c3e-8d2a-4b5f6a7c8d9e';
export const ROLE_ID = '01997b6f-9c01-7a11-9b22-c3d4e5f60718';
export const THING_ID = '01997b6f-9c02-7b33-8c44-d5e6f7081920';
export const SESSION_ID = 'a.01997b6f-9c00-7c3e-8d2a-4b5f6a7c8d9e.Zk3vT9wQ';
export const REQUEST_ID = '01a1fe6c-58d8-7678-ac10-501d938cc1f7';
export const IDEMPOTENCY_KEY = '3f0a8f8e-5d0c-4c58-9d2f-6d1b0c6f8a11';
/** The hex SM3 digest of `wool-lantern-harbour-42`: clients send passwords in this form. */
export const PASSWORD_HASH = 'f8e9e7fd4b8f96f46246251d1b70b4191111e813808c9b2d8ce2060d74841198';
export const TOKEN = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl';
/** The token of a device that signed in before. */
export const DEVICE_TOKEN = 'Qm9vLWV4YW1wbGUtZGV2aWNlLXRva2VuLW9mLTQzLWNo';
export const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** The `page` of an example list with one item. */
export const page = { number: 1, size: 20, total: 1 };
/** The same, of a list with cursors. */
export const cursorPage = { ...page, next: null };
