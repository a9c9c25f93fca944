import type { CaptchaRenderer } from '@sallyport/captcha';
import svgCaptcha from 'svg-captcha';

/** The package's types omit this signature, which draws a given text. */
const draw = svgCaptcha as unknown as (text: string, options: svgCaptcha.ConfigObject) => string;

/**
 * Draws letters as distorted paths crossed by lines. This stops simple scripts, but not trained recognisers. Replace it
 * where that matters.
 */
export const renderSvg: CaptchaRenderer = async (text) => {
  const svg = draw(text, { width: 150, height: 50, noise: 3 });
  return { image: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
};
