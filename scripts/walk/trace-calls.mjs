// Preloaded into the server: notes the calls of its functions. The parent sends 'begin', and 'end', which is answered
// with the calls in their order: package, room, file, function.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/** @type {string[][]} */
let calls = [];
let isNoting = false;

// Worker threads, such as those that hash passwords, are not traced.
if (isMainThread && process.send) {
  globalThis.noteCall = (...call) => isNoting && calls.push(call);
  process.on('message', (word) => {
    isNoting = word === 'begin';
    if (!isNoting) process.send?.({ calls });
    calls = [];
  });
  register('./traced-modules.mjs', import.meta.url);
}
