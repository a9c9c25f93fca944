import type { CaptchaRenderer } from '@sallyport/captcha';
import { createImageRenderer, type ImageRenderer } from '@sallyport/captcha/image';
import type { App } from '../../http/module.js';

/** Draws the pictures. Its threads start with the first one, because many servers never show a picture. */
export function openPictures(app: Pick<App, 'addHook'>): CaptchaRenderer {
  let renderer: ImageRenderer | null = null;
  app.addHook('onClose', async () => renderer?.close());
  return (text) => {
    renderer ??= createImageRenderer();
    return renderer(text);
  };
}
