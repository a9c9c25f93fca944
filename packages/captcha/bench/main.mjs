// `pnpm --filter @sallyport/captcha bench`: what readers reach on the old and on the new pictures, and what a picture
// costs (CAP-2). Options: --pictures 1000 --trained 20000 --minutes 20 --only old,shapes,tesseract,network,cost
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { ALL_DISTORTIONS, drawPicture, IMAGE_ALPHABET } from '../dist/image/drawing/index.js';
import { createPathReader, drawOld, greyOfOld, OLD_ALPHABET } from './old-pictures.mjs';
import { draw, PLAIN, randomText } from './pictures.mjs';
import { findPython, trainNetwork } from './readers/network.mjs';
import { createExample, createShapeReader, examplesOf } from './readers/shapes.mjs';
import { readWithTesseract, tesseractVersion } from './readers/tesseract.mjs';

const { values } = parseArgs({
  options: {
    pictures: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '20' },
    trained: { type: 'string', default: '20000' },
    only: { type: 'string', default: 'old,shapes,tesseract,network,cost' },
  },
});
const pictures = Number(values.pictures);
const trained = Number(values.trained);
const parts = new Set(values.only.split(','));

const OLD_LENGTH = 5;

let skipped = 0;
const say = (line = '') => process.stdout.write(`${line}\n`);
const percent = (part) => `${(part * 100).toFixed(1)} %`;

/** Reads and prints the shares of whole pictures and of letters in their places. */
function report(name, texts, readings) {
  const right = texts.filter((text, i) => text === readings[i]).length;
  const letters = texts.flatMap((text, i) => [...text].map((letter, at) => letter === readings[i]?.[at]));
  const share = letters.filter(Boolean).length / letters.length;
  say(`| ${name} | ${right} of ${texts.length} (${percent(right / texts.length)}) | ${percent(share)} |`);
}

function header(title) {
  say(`\n### ${title}\n\n| pictures | read | letters |\n| --- | --- | --- |`);
}

function ofShapeReader(name, count, read, makeText, render) {
  const texts = Array.from({ length: count }, makeText);
  report(
    name,
    texts,
    texts.map((text) => read(render(text), text.length)),
  );
}

say(`Node ${process.version}, ${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores`);

if (parts.has('old')) {
  header('The old pictures');
  const readPaths = createPathReader();
  const texts = Array.from({ length: 60 }, () => randomText(OLD_ALPHABET, OLD_LENGTH));
  report(
    'seven lines that read path commands',
    texts,
    texts.map((text) => readPaths(drawOld(text))),
  );
  const examples = [...OLD_ALPHABET].flatMap((letter) =>
    Array.from({ length: 12 }, () => createExample(letter, greyOfOld(drawOldLetter(letter)))),
  );
  const read = createShapeReader(examples);
  const oldText = () => randomText(OLD_ALPHABET, OLD_LENGTH);
  ofShapeReader('the reader that knows the shapes', Math.min(200, pictures), read, oldText, (text) =>
    greyOfOld(drawOld(text)),
  );
}

/** A single letter, without the lines across it. */
function drawOldLetter(letter) {
  return drawOld(letter).replaceAll(/<path [^>]*fill="none"[^>]*>/g, '');
}

if (parts.has('shapes')) {
  header('The new pictures: the reader that knows the shapes');
  const began = process.cpuUsage();
  const examples = examplesOf(draw);
  const read = createShapeReader(examples);
  const few = Math.min(100, pictures);
  const of = (name, count, distortions) =>
    ofShapeReader(
      name,
      count,
      read,
      () => randomText(),
      (text) => draw(text, distortions),
    );
  of('as they are', pictures, ALL_DISTORTIONS);
  of('without distortion', few, PLAIN);
  for (const name of Object.keys(PLAIN)) of(`only ${name}`, few, { ...PLAIN, [name]: true });
  of('all but lines', few, { ...ALL_DISTORTIONS, lines: false });
  const { user, system } = process.cpuUsage(began);
  say(`\n${examples.length} examples; ${((user + system) / 6e7).toFixed(1)} minutes of processor time`);
}

if (parts.has('tesseract')) {
  const version = tesseractVersion();
  if (version === null) {
    skipped += 1;
    say('\nSKIPPED: no tesseract here; install tesseract-ocr');
  } else {
    for (const [title, distortions] of [
      ['without distortion', PLAIN],
      ['as they are', ALL_DISTORTIONS],
    ]) {
      header(`The new pictures ${title}: ${version}`);
      const texts = Array.from({ length: distortions === PLAIN ? Math.min(100, pictures) : pictures }, () =>
        randomText(),
      );
      const greys = texts.map((text) => draw(text, distortions));
      for (const [way, readings] of readWithTesseract(greys, IMAGE_ALPHABET)) report(way, texts, readings);
    }
  }
}

if (parts.has('network')) {
  const python = findPython();
  if (python === null) {
    skipped += 1;
    say('\nSKIPPED: no Python with PyTorch here; install python3-torch, or torch and numpy by pip');
  } else {
    const drawOne = (distortions) => () => {
      const text = randomText();
      return { text, grey: draw(text, distortions) };
    };
    const task = { alphabet: IMAGE_ALPHABET, trained, read: pictures, minutes: Number(values.minutes) };
    const result = trainNetwork({ ...task, python, drawPlain: drawOne(PLAIN), draw: drawOne(ALL_DISTORTIONS) });
    say(`\n### The new pictures: a network trained on ${trained} of them\n\n| pictures | read | letters |`);
    say('| --- | --- | --- |');
    for (const [name, { pictures: whole, letters, count }] of Object.entries(result.read)) {
      say(`| ${name} | ${Math.round(whole * count)} of ${count} (${percent(whole)}) | ${percent(letters)} |`);
    }
    say(`\n${result.minutes} minutes of processor time, ${result.epochs} times through the pictures`);
  }
}

if (parts.has('cost')) {
  const texts = Array.from({ length: 500 }, () => randomText());
  for (const text of texts.slice(0, 100)) drawPicture(text);
  const began = process.cpuUsage();
  const sizes = texts.map((text) => drawPicture(text).length).sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(began);
  say('\n### What a picture costs\n');
  say(`${((user + system) / 1000 / texts.length).toFixed(2)} ms of processor time;`);
  say(`${sizes[0]} to ${sizes.at(-1)} bytes, ${sizes[texts.length >> 1]} in the middle`);
}

if (skipped > 0) say(`\n${skipped} part(s) SKIPPED`);
