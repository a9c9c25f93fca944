import type { AsvsClaim } from './claim.js';
import { CONSOLE, HASHING, LOGIN, REPOSITORY, SERVER } from './places.js';

const WORD_TESTS = [
  `${HASHING}/common-passwords/common-passwords.system.test.ts: PWD-4 refuses variants of the words of an organisation`,
  `${SERVER}/modules/passwords/common-passwords.test.ts: PWD-4 refuses variants of the words of the organisation`,
] as const;

/** V6.1 and V6.2: what is documented, and passwords. */
export const passwordClaims: readonly AsvsClaim[] = [
  {
    id: 'V6.1.1',
    level: 1,
    subject: 'The documents say how guessing is limited, how that is configured, and how owners are not locked out',
    status: 'tested',
    tests: [
      `${REPOSITORY}/threat-model.test.ts: DOC-1 the sums of the sign-in follow from the defaults`,
      `${REPOSITORY}/threat-model.test.ts: DOC-1 the sums of the codes follow from the defaults`,
    ],
  },
  {
    id: 'V6.1.2',
    level: 2,
    subject: 'Words of the organisation that no password may be made of are documented',
    status: 'deployer',
    duty:
      'List them in admin.auth.password.refused-words, which is empty by default: 20 words at most. The reference of ' +
      'password-hashing says which variants of each are refused.',
    tests: WORD_TESTS,
  },
  {
    id: 'V6.1.3',
    level: 2,
    subject: 'Every way to sign in is documented, with its strength',
    status: 'tested',
    tests: [
      `${SERVER}/modules/api-docs/api-docs.test.ts: OPS-2 it has every route, and no other`,
      `${REPOSITORY}/threat-model.test.ts: DOC-1 the sums of the sign-in follow from the defaults`,
    ],
    note:
      'Administrators: password. App users: password, code or both; recovery by code. With the second factor on, both ' +
      'then prove an authenticator app, a passkey or a recovery code.',
  },
  {
    id: 'V6.2.1',
    level: 1,
    subject: 'Passwords have eight characters or more',
    status: 'deviation',
    why:
      'The interface document sets six as the default, and has clients send a hash: the server cannot count ' +
      'characters. A client of your own may send the hash of anything.',
    instead:
      'Pages apply admin.auth.password.min-length: set it to 8, better 15. The server refuses the 10 000 commonest ' +
      'passwords and simple patterns by their hashes.',
    tests: [
      `${LOGIN}/password-rules.test.ts: PWD-1 are the six parameters of the interface document`,
      `${LOGIN}/password-rules.test.ts: PWD-2 counts Unicode code points`,
    ],
  },
  {
    id: 'V6.2.2',
    level: 1,
    subject: 'Users can change their password',
    status: 'tested',
    tests: [
      `${SERVER}/modules/sessions/invalidation.test.ts: USR-2 after a change or a reset only the new password signs in`,
      `${CONSOLE}/places/profile.ts: CON-2 changes the own name and password`,
    ],
    seenBy: ['passwords.change#effect'],
  },
  {
    id: 'V6.2.3',
    level: 1,
    subject: 'Changing a password takes the current one',
    status: 'tested',
    tests: [`${SERVER}/modules/sessions/invalidation.test.ts: USR-2 with a wrong old password nothing changes`],
    seenBy: ['passwords.change#current'],
    note: 'App users may give a fresh code in its place (APP-2).',
  },
  {
    id: 'V6.2.4',
    level: 1,
    subject: 'The commonest passwords are refused, 3000 at least',
    status: 'tested',
    tests: [
      `${HASHING}/common-passwords/common-passwords.system.test.ts: PWD-4 every one of its passwords is refused by its hash`,
      `${SERVER}/modules/passwords/common-passwords.test.ts: PWD-4 PWD-6 every route that sets a password refuses a common`,
    ],
    seenBy: ['passwords.change#common'],
    note: 'A parameter can switch it off; preflight says so (parameters.common-passwords).',
  },
  {
    id: 'V6.2.5',
    level: 1,
    subject: 'No kinds of characters are demanded',
    status: 'deployer',
    duty: 'Leave the four parameters admin.auth.password.require-* off, as they are by default.',
    tests: [`${LOGIN}/password-rules.test.ts: PWD-1 are the six parameters of the interface document`],
  },
  {
    id: 'V6.2.6',
    level: 1,
    subject: 'What is typed into a password field is masked',
    status: 'tested',
    tests: [`${CONSOLE}/places/sign-in.ts: CON-1 CON-2 the eye of a password is reached and pressed by keyboard`],
    note: 'In the console. Your own pages need such fields.',
  },
  {
    id: 'V6.2.7',
    level: 1,
    subject: 'Passwords can be pasted, and filled in by password managers',
    status: 'deployer',
    duty:
      'Keep it so in your own pages. Those of the console set autocomplete (username, current-password, ' +
      'new-password) and handle no paste, but no test tries a password manager.',
  },
  {
    id: 'V6.2.8',
    level: 1,
    subject: 'A password is compared exactly as it came, neither cut nor changed',
    status: 'tested',
    tests: [
      `${HASHING}/password-hashing.test.ts: LP-47 ADM-7 passwords that BCrypt would truncate or confuse are refused`,
      `${SERVER}/modules/sign-in/sign-in.test.ts: LP-47 ADM-7 a password over 72 bytes`,
    ],
    seenBy: ['passwords.change#exact'],
    note: 'What comes is the hash that the client computed of the whole password.',
  },
  {
    id: 'V6.2.9',
    level: 2,
    subject: 'Passwords of 64 characters are possible',
    status: 'deployer',
    duty:
      'Raise admin.auth.password.max-length, which is 32 by default and at most 256. The server takes the hash of a ' +
      'password of any length.',
    tests: [`${LOGIN}/password-rules.test.ts: PWD-1 are the six parameters of the interface document`],
  },
  {
    id: 'V6.2.10',
    level: 2,
    subject: 'A password does not expire by age',
    status: 'tested',
    tests: [`${SERVER}/modules/parameters/parameters.system.test.ts: SYS-1 LGN-1 PWD-1 ADM-1 USR-3 TOK-5 APP-5 UPL-1`],
    note: 'By default no password has an age. Two parameters, max-age-days, give it one: leave them at 0.',
  },
  {
    id: 'V6.2.11',
    level: 2,
    subject: 'Passwords made of words of the organisation are refused',
    status: 'deployer',
    duty:
      'List them in admin.auth.password.refused-words, and leave admin.auth.password.refuse-common on. The server ' +
      'compares hashes of variants that it knows: a word within a longer text is not seen. Variants of the name and ' +
      'the number of the user are refused without a setting.',
    preflight: ['parameters.common-passwords'],
    tests: [
      ...WORD_TESTS,
      `${SERVER}/modules/passwords/common-passwords.test.ts: PWD-4 refuses variants of the own name`,
    ],
  },
  {
    id: 'V6.2.12',
    level: 2,
    subject: 'Passwords that leaked elsewhere are refused',
    status: 'deployer',
    duty:
      'Bring a list of leaked passwords, make a file of it with dist/commands/hash-passwords.js, and name it in ' +
      'SERVICE_AUTH_PASSWORD_BREACHED_FILE. Without it only the 10 000 commonest ones are refused. Lists that hold ' +
      'hashes of another function, not passwords, can not be used. Leave admin.auth.password.refuse-common on.',
    preflight: ['passwords.breached-unknown', 'passwords.breached-file', 'parameters.common-passwords'],
    settings: ['auth.password.breached-file'],
    tests: [
      `${SERVER}/modules/passwords/breached-passwords.system.test.ts: PWD-4 the command writes the hash of each password`,
      `${SERVER}/modules/passwords/breached-passwords.system.test.ts: PWD-4 every route that sets a password refuses one`,
    ],
  },
];
