import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A port before PostgreSQL that can lead elsewhere later, as the name of a host does. */
export interface AddressSwitch {
  /** The given URL, by way of the port. */
  readonly url: string;
  /** Later connections lead to the port of that URL. */
  leadTo(target: string): void;
  /** Cuts every open connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function startAddressSwitch(url: string): Promise<AddressSwitch> {
  const open = new Set<Socket>();
  let port = Number(new URL(url).port);
  const server = createServer((client) => {
    const behind = createConnection({ host: '127.0.0.1', port });
    pass(client, behind);
    pass(behind, client);
  });

  function pass(from: Socket, to: Socket): void {
    open.add(from);
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => {});
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
  }

  function cut(): void {
    for (const socket of open) socket.destroy();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href,
    leadTo(target) {
      port = Number(new URL(target).port);
    },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
