import bcrypt from 'bcryptjs';
import { expect, it } from 'vitest';
import { createPasswordHashing } from '../src/index.js';

/** The bound of PWD-3, the start of the next thread, and a busy machine. */
const MAX_MILLIS = 2000 + 3000;

it('PWD-3 a hash of extreme cost above the ceiling stops nobody, not even for the time of a task', async () => {
  const passwords = createPasswordHashing({ cost: 10, threads: 2 });
  const stored = await passwords.hash('secret');
  const extreme = stored.replace('$10$', '$31$');
  const attacks = Array.from({ length: 20 }, () => passwords.verify('secret', extreme));
  const began = performance.now();
  expect(await passwords.verify('secret', stored)).toBe(true);
  expect(performance.now() - began).toBeLessThan(MAX_MILLIS);
  expect(await Promise.all(attacks)).toEqual(Array(20).fill(false));
  await passwords.close();
});

it('PWD-3 with a ceiling of 31, a hash of extreme cost holds a worker for 2 s and no longer, and others are served', async () => {
  const lines: string[] = [];
  const log = { error: (_details: object, message: string) => lines.push(message) };
  const passwords = createPasswordHashing({ cost: 10, maxCost: 31, threads: 1, log });
  const stored = await passwords.hash('secret');
  const extreme = bcrypt.hashSync('secret', 4).replace('$04$', '$31$');
  const began = performance.now();
  const times: number[] = [];
  const note = (outcome: boolean) => {
    times.push(performance.now() - began);
    return outcome;
  };
  const outcomes = await Promise.all([
    passwords.verify('secret', extreme).then(note),
    passwords.verify('secret', stored).then(note),
    passwords.verify('wrong', stored).then(note),
    passwords.verify('secret', null).then(note),
  ]);
  expect(outcomes).toEqual([false, true, false, false]);
  expect(times[0]).toBeGreaterThan(1900);
  expect(times[0]).toBeLessThan(MAX_MILLIS);
  expect(times[3]).toBeLessThan(MAX_MILLIS + 2000);
  expect(lines).toHaveLength(1);
  await passwords.close();
});
