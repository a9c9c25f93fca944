import { createPasswordHashing } from '@sallyport/password-hashing';

const passwords = createPasswordHashing();
const users = new Map([['ada', { passwordHash: '' }]]);

export async function signIn(name: string, password: string): Promise<boolean> {
  const user = users.get(name);
  return passwords.verify(password, user?.passwordHash); // mistake
}
