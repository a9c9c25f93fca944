import type { App } from '../../http/module.js';
import { channelFault, openControlChannel } from '../../storage/control-channel.js';
import { type UnlockDependencies, type UnlockRequest, unlock } from './unlock.js';

/**
 * Answers the command `unlock` (LGN-11), which cannot open an embedded database that this process has open.
 *
 * @param folder the data folder of the embedded database; null: the command needs no server
 */
export async function serveUnlock(
  app: App,
  folder: string | null,
  dependencies: Omit<UnlockDependencies, 'policies'>,
): Promise<void> {
  if (folder === null) return;
  const fault = channelFault(folder);
  if (fault !== null) {
    app.log.warn(`the command unlock works only while the server is stopped: ${fault}`);
    return;
  }
  const policies = { admin: app.loginPolicy, app: app.appLoginPolicy };
  async function answer(request: unknown): Promise<unknown> {
    try {
      return await unlock({ ...dependencies, policies }, (request ?? {}) as UnlockRequest);
    } catch (err) {
      app.log.warn({ err }, 'the command unlock failed');
      throw err;
    }
  }
  const channel = await openControlChannel(folder, answer);
  app.addHook('onClose', () => channel.close());
}
