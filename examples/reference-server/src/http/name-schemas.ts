import { Type } from '@fastify/type-provider-typebox';

/** A name as somebody types it to sign in, whether somebody has it or not. */
export const username = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\p{Cc}]*$' });

/** What people see of a name: 1 to 64 characters, neither controls nor blanks alone. */
export const displayName = Type.String({ minLength: 1, maxLength: 64, pattern: '^(?=.*\\S)[^\\p{Cc}]*$' });
