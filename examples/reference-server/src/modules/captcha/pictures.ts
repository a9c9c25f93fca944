import type { CaptchaRenderer } from '@sallyport/captcha';
import { createImageRenderer, type ImageRenderer } from '@sallyport/captcha/image';
import type { App } from '../../http/module.js';

/** Draws the pictures. Its threads begin with the first one, since many a server never shows a picture. */
export function openPictures(app: Pick<App, 'addHook'>): CaptchaRenderer {
  let renderer: ImageRenderer | null = null;
  app.addHook('onClose', async () => renderer?.close());
  return (text) => {
    renderer ??= createImageRenderer();
    return renderer(text);
  };
}
