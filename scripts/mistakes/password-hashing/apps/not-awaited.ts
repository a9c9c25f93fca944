import { createPasswordHashing } from '@sallyport/password-hashing';

const passwords = createPasswordHashing();

export async function signIn(password: string, passwordHash: string): Promise<string> {
  if (passwords.verify(password, passwordHash)) return 'welcome'; // mistake
  return 'wrong';
}
