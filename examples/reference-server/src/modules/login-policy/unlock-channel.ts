import type { App } from '../../http/module.js';
import { channelFault, openControlChannel } from '../../storage/control-channel.js';
import { type UnlockDependencies, type UnlockRequest, unlock } from './unlock.js';

/** A command of another module. */
type OtherCommand = (request: unknown) => Promise<unknown>;

/**
 * Answers the command `unlock` (LGN-11) and others, which cannot open an embedded database that this process has open.
 *
 * @param others by the member `command` of their requests
 * @param folder the data folder of the embedded database; null: the command needs no server
 */
export async function serveUnlock(
  app: App,
  folder: string | null,
  dependencies: Omit<UnlockDependencies, 'policies'>,
  others: Readonly<Record<string, OtherCommand>> = {},
): Promise<void> {
  if (folder === null) return;
  const fault = channelFault(folder);
  if (fault !== null) {
    app.log.warn(`commands work only while the server is stopped: ${fault}`);
    return;
  }
  const policies = { admin: app.loginPolicy, app: app.appLoginPolicy };
  async function answer(request: unknown): Promise<unknown> {
    const { command } = (request ?? {}) as { readonly command?: unknown };
    const other = typeof command === 'string' && Object.hasOwn(others, command) ? others[command] : undefined;
    try {
      if (other !== undefined) return await other(request);
      return await unlock({ ...dependencies, policies }, (request ?? {}) as UnlockRequest);
    } catch (err) {
      app.log.warn({ err }, 'a command failed');
      throw err;
    }
  }
  const channel = await openControlChannel(folder, answer);
  app.addHook('onClose', () => channel.close());
}
