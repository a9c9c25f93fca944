// `pnpm walk`: prints how far three requests go through the server. With the name of one, every call of it.
import { walkRequests } from './walk/walk-requests.mjs';

process.stderr.write('Builds and starts the server, and sends each request seven times: half a minute\n');
const walks = await walkRequests();
const [name] = process.argv.slice(2);
if (name === undefined) {
  for (const [request, { files, moves, roomMoves, calls }] of Object.entries(walks)) {
    const counts = `${files} files, ${moves} moves between packages, ${roomMoves} between rooms, ${calls.length} calls`;
    process.stdout.write(`${request}: ${counts}\n`);
  }
} else if (Object.hasOwn(walks, name)) {
  for (const [owner, , file, called] of walks[name].calls) process.stdout.write(`${owner}\t${file}\t${called}\n`);
} else {
  process.stderr.write(`There is no ${name}. There are: ${Object.keys(walks).join(', ')}\n`);
  process.exitCode = 2;
}
