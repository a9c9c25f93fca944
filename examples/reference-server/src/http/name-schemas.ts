import { Type } from 'typebox';

/** A user name as typed at sign-in, whether it exists or not. */
export const username = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' });

/** A display name: 1 to 64 characters, without control characters, not only blanks. */
export const displayName = Type.String({ minLength: 1, maxLength: 64, pattern: '^(?=.*\\S)[^\\p{Cc}]*$' });
