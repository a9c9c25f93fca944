import { ConfigError } from '../config/config-error.js';
import { type Property, variableOf } from '../config/settings.js';

/** The address of a listener, and its settings. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: Property; readonly port: Property };
}

/** The error of a start that can't listen, with the names of the settings. Returns any other error unchanged. */
export function listenFault(error: unknown, { host, port, settings }: ListenAddress): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const [hostVariable, portVariable] = [variableOf(settings.host), variableOf(settings.port)];
  const fault = (text: string) => new ConfigError([text], { cause: error });
  switch (code) {
    case 'EADDRINUSE':
      return fault(
        `${portVariable}: another process listens on port ${port} of ${host} (${code}); ` +
          `stop it, or set ${portVariable} to another port`,
      );
    case 'EACCES':
      return fault(
        `${portVariable}: the user of this process may not listen on port ${port} (${code}); ` +
          `set ${portVariable} to a port from 1024, behind a proxy that has the right`,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
      return fault(
        `${hostVariable}: ${host} is not an address of this machine (${code}); ` +
          `set ${hostVariable} to one, such as 127.0.0.1, or 0.0.0.0 for all`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return fault(
        `${hostVariable}: the name ${host} has no address (${code}); ` +
          `set ${hostVariable} to an address of this machine, such as 127.0.0.1`,
      );
    default:
      return error;
  }
}
