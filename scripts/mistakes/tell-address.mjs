// For `node --import`: prints where a server listens, once it does.
import { Server } from 'node:net';

const { listen } = Server.prototype;

/** @type {Set<Server>} */
export const servers = new Set();

Server.prototype.listen = function listenAloud(...given) {
  servers.add(this);
  this.once('listening', () => {
    const address = this.address();
    if (typeof address !== 'object' || address === null) return;
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    process.stderr.write(`listening on ${host}:${address.port}\n`);
  });
  return listen.apply(this, given);
};
