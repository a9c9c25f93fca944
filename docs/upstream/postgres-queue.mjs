// postgres.js: the queue of a pool's free connections keeps a place for each connection that it ever handed out, until
// all are in use at once, and searches all places for each statement. This does with the queue what a statement does.
const { default: createQueue } = await import(new URL('queue.js', import.meta.resolve('postgres')).href);

const free = createQueue();
for (const name of ['first', 'second', 'third']) free.push({ name });

const STATEMENTS = 50_000;
for (let round = 1; round <= 4; round += 1) {
  const start = performance.now();
  for (let statement = 0; statement < STATEMENTS; statement += 1) {
    const connection = free.shift();
    free.remove(connection); // as the pool does when it moves the connection from `open` to `busy`
    free.push(connection);
  }
  const micros = ((performance.now() - start) / STATEMENTS) * 1000;
  console.log(`${round * STATEMENTS} statements: ${micros.toFixed(2)} µs each`);
}
