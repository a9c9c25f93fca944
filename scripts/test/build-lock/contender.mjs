// Takes a lock over and over, and leaves it each time as a process that was killed does. Two that held it at once end
// with an error. Arguments: the lock, the id of a process that has ended, how often.
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { takeLock } from '../../build-lock.mjs';

const [lock = '', ended = '', rounds = ''] = process.argv.slice(2);
const inside = `${lock}.inside`;

for (let round = 0; round < Number(rounds); round += 1) {
  while (!takeLock(lock));
  // Fails where another contender is inside.
  writeFileSync(inside, '', { flag: 'wx' });
  rmSync(inside);
  const left = `${lock}.${randomUUID()}`;
  writeFileSync(left, `${ended}-${randomUUID()}`);
  renameSync(left, lock);
}
