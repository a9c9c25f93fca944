import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { type Fault, type Flow, pump } from './fault-flow.js';

export type Direction = 'to-server' | 'to-client';

/** A TCP proxy on a loopback port that injects network faults between two programs. */
export interface FaultProxy {
  readonly port: number;
  /** Takes effect immediately, including on open connections. Default: both directions. */
  inject(fault: Fault, direction?: Direction): void;
  /** Removes every fault. */
  heal(): void;
  /**
   * Resets each open connection with this probability (default 1) and accepts new ones. Returns the number of resets.
   */
  resetConnections(probability?: number): number;
  /** Leads new connections to another loopback port, as the name of a host does. */
  leadTo(port: number): void;
  /** Leads new connections to another loopback port, and resets the open ones. */
  redirect(port: number): void;
  /** The number of open connections. */
  connections(): number;
  /** Closes the proxy and every connection. */
  close(): Promise<void>;
}

const PASS: Fault = { kind: 'pass' };

/** Starts the proxy in front of a loopback port. While that port is closed, clients are reset. */
export async function startFaultProxy(firstTarget: number): Promise<FaultProxy> {
  let target = firstTarget;
  const faults: Record<Direction, Fault> = { 'to-server': PASS, 'to-client': PASS };
  const open = new Set<Connection>();

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const connection = connect(client, target, faults);
    open.add(connection);
    client.once('close', () => open.delete(connection));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function inject(fault: Fault, direction?: Direction): void {
    for (const one of direction === undefined ? (['to-server', 'to-client'] as const) : [direction]) {
      faults[one] = fault;
      for (const connection of open) connection.apply(fault, one);
    }
  }

  function leadTo(port: number): void {
    target = port;
  }

  return {
    port: (server.address() as { port: number }).port,
    inject,
    heal: () => inject(PASS),
    resetConnections(probability = 1) {
      const chosen = [...open].filter(() => Math.random() < probability);
      for (const connection of chosen) connection.reset();
      return chosen.length;
    },
    leadTo,
    redirect(port) {
      leadTo(port);
      for (const connection of open) connection.reset();
    },
    connections: () => open.size,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const connection of open) connection.reset();
      await closed;
    },
  };
}

interface Connection {
  apply(fault: Fault, direction: Direction): void;
  reset(): void;
}

function connect(client: Socket, target: number, faults: Readonly<Record<Direction, Fault>>): Connection {
  const server = createConnection({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const reset = () => {
    client.resetAndDestroy();
    server.resetAndDestroy();
  };
  // An error on one side destroys the other. A normal end is forwarded by the flow.
  for (const socket of [client, server]) {
    socket.on('error', () => {});
    socket.once('close', () => {
      if (socket.errored !== null || !socket.readableEnded) reset();
    });
  }
  const flows: Record<Direction, Flow> = {
    'to-server': pump(client, server, faults['to-server'], reset),
    'to-client': pump(server, client, faults['to-client'], reset),
  };
  return { apply: (fault, direction) => flows[direction].apply(fault), reset };
}
