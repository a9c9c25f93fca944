import { performance } from 'node:perf_hooks';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../scripts/build.mjs';
import { createImageRenderer, type ImageRenderer, type ImageRendererOptions } from '../src/image/index.js';

const MAX_BUILD_MILLIS = 300_000;

// The threads run the built package.
beforeAll(() => build(), MAX_BUILD_MILLIS);

const opened: ImageRenderer[] = [];

afterEach(async () => {
  for (const renderer of opened.splice(0)) await renderer.close();
});

function open(options?: ImageRendererOptions): ImageRenderer {
  const renderer = createImageRenderer(options);
  opened.push(renderer);
  return renderer;
}

const busy = { code: 'CAPTCHA_BUSY', statusCode: 503 };

describe('image renderer', () => {
  it('CAP-1 draws a PNG as a data URI', async () => {
    const { image } = await open()('AEGKMRS');
    expect(image).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/);
    const bytes = Buffer.from(image.split(',')[1]!, 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.length).toBeLessThan(16_384);
  });

  it('CAP-1 refuses a flood with 503 and serves again afterwards', async () => {
    const render = open({ threads: 1, maxWaiting: 3 });
    const flood = await Promise.allSettled(Array.from({ length: 20 }, () => render('AEGKMRS')));
    expect(flood.slice(0, 4).every(({ status }) => status === 'fulfilled')).toBe(true);
    for (const refused of flood.slice(4)) expect(refused).toMatchObject({ status: 'rejected', reason: busy });
    await expect(render('AEGKMRS')).resolves.toHaveProperty('image');
  });

  it('CAP-1 leaves the event loop free while it draws', async () => {
    const render = open({ threads: 1 });
    await render('A');
    const before = performance.eventLoopUtilization();
    await Promise.all(Array.from({ length: 30 }, () => render('AEGKMRS')));
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.6);
  });

  it('CAP-1 passes on a mistake of the caller and goes on', async () => {
    const render = open({ threads: 1, maxWaiting: 0 });
    for (const text of ['', 'Q', 'A'.repeat(13)]) await expect(render(text)).rejects.toThrow(RangeError);
    await expect(render('A')).resolves.toHaveProperty('image');
  });

  it('CAP-1 refuses what waits when it closes, and everything after that', async () => {
    const render = open({ threads: 1 });
    const waiting = Array.from({ length: 50 }, () => render('AEGKMRS'));
    const settled = Promise.allSettled(waiting);
    await render.close();
    expect((await settled).at(-1)).toMatchObject({ status: 'rejected', reason: busy });
    await expect(render('A')).rejects.toMatchObject(busy);
    await render.close();
  });

  it('refuses bad options', () => {
    for (const options of [{ threads: 0 }, { threads: 17 }, { maxWaiting: -1 }, { threads: 1.5 }, { thread: 1 }]) {
      expect(() => createImageRenderer(options)).toThrow(expect.objectContaining({ code: 'CAPTCHA_SETUP_INVALID' }));
    }
  });
});
