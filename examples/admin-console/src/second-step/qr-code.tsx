import { Box } from '@mantine/core';
import { generate } from 'lean-qr';

/** The quiet zone around a code, in modules. */
const MARGIN = 4;

/** A QR code, drawn as one path: the policy of the page allows no style and no picture from elsewhere. */
export default function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const code = generate(text);
  const rows = Array.from({ length: code.size }, (_, y) =>
    Array.from({ length: code.size }, (_module, x) => (code.get(x, y) ? `M${x} ${y}h1v1h-1z` : '')).join(''),
  );
  const width = code.size + 2 * MARGIN;
  return (
    // Readers need dark modules on a light ground in either scheme.
    <Box bg="white" w={200} maw="100%" mx="auto">
      <svg
        role="img"
        aria-label={label}
        viewBox={`${-MARGIN} ${-MARGIN} ${width} ${width}`}
        width="100%"
        shapeRendering="crispEdges"
      >
        <path d={rows.join('')} fill="black" />
      </svg>
    </Box>
  );
}
