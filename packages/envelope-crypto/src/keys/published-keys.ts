/**
 * Published private keys, which would protect nothing. Each is listed by the x coordinate of its public point on
 * sm2p256v1, so that this file contains no private key. d and n − d share it, and both are refused.
 */
const PUBLISHED_X_COORDINATES: ReadonlySet<string> = new Set([
  // GB/T 32918.5-2017 (GM/T 0003.5-2012): Annexes A and C, the signer's and the recipient's key.
  '09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020',
  // Annexes A and C, the ephemeral scalar.
  '04ebfc718e8d1798620432268e77feb6415e2ede0e073c0f4f640ecd2e149a73',
  // Annex B, the keys of A and B, and their ephemeral scalars.
  '160e12897df4edb61dd812feb96748fbd3ccf4ffe26aa6f6db9540af49c94232',
  '6ae848c57c53c7b1b5fa99eb2286af078ba64c64591b8b566f7357d576f16dfb',
  '64ced1bdbc99d590049b434d0fd73428cf608a5db8fe5ce07f15026940bae40e',
  'acc27688a6f7b706098bc91ff3ad1bff7dc2802cdb14ccccdb0a90471f9bd707',

  // draft-shen-sm2-ecdsa-02 (GB/T 32918.2 to .4, Annex A), printed for a test curve: the keys for signing, encryption
  // and key exchange (A, B), taken as private keys on sm2p256v1.
  'd5548c7825cbb56150a3506cd57464af8a1ae0519dfaf3c58221dc810caf28dd',
  '191bff8148006eea72d857cb974db9f4903b3ca3655d8d597ad4663f5044dcb1',
  '26f1f3ef122785d17d3870c2434650363fdf4b2f450e8ed1b60fdc1fc6f019ab',
  '9eafb2cef3c95526c686a6c961a247a1aee7fc2e802454227a012b083ac553f5',
  // GB/T 32918.2 to .4 (GM/T 0003.2 to .4), Annex A.2, the test curve Fp-256: the ephemeral scalars for signing, key
  // exchange (A, B) and encryption. Each scalar of A.2 and A.3 was verified on its own curve against the printed point,
  // or against r of the printed signature.
  'f6a687ab5744d5cbba1cf93d8436416f75c3aec3d762814d565314aff57a89f9',
  '698c93c85618d221a6de87ca8f091a89cfaecc9fff2dd978f92769a40af3b740',
  '26891afec73a32fa5bf2cbe91acded37cac48621d85d5965a5044a84dbda5988',
  '11c88ae04cec1ba554d03d5b5970333a83585826c2a985de5520d9e934389efb',
  // Annex A.3, the test curve F2m-257: the keys for signing, key exchange (A, B) and encryption, then the ephemeral
  // scalars for the same.
  '578af4b58058a121cbd75f62b7f179d6e38525c30499b1e8de5f3ec2521f76cc',
  '0867f2d182333b7f48e86e08279eeacbfa918f7b185187f5bf020c4a1796d5bd',
  'd4373393a9c292440c99672a28d6c2de455cdd0ff552fbe8e07e364bbaeb5905',
  'd529f96abf896bbf1b1d64306324da67cdebc3c351cfe52df2d824dd194bb011',
  'e11ae5e77c41dbdb2406a358e691b900c14baf61459fed9a6f483452d69c69a7',
  '1ea88befd1c5880fe89068d252433c67a01af6e6c6fdb7b64e11a3435360b6da',
  'acf6aa5c16395ec3e5cc88b2b5efb8ad6b983828f82c1a89d7ce50ba8164ac41',
  '8b43301f157be320be567ef3cc775179b0b60fb4a9f096d2e92e209670355af7',

  // The published vectors of this envelope (envelope_v1.json).
  'dde9909a7ea8b37933504cd51f3977122074bbe8acad8825a40296f7c1bdaefe',
  '386275c6f60e47aaf0f2b6bd89f7880a5e9507ae24677e2fa33bcc45cea88548',
  'ca7d58a6798b53681b49f0bebcdb2878a5a73bb6bcc810ec0edeafd9d655437c',
  'd4b348527acd8fed37b3377f9e703ddba4b773ac5a24db173bcf4028e6fa390b',
  '1ecd96214efb8e5b03291a9007b3d1df5806924dba92e52059fadae1fc30a9c1',

  // The published SM2 vectors of this project (sm2_enc_botan_interop.json) and Botan's own (sm2_invalid.vec).
  'ec009fe9214110682a63b210674a8dafabaecbfa68b9028e123fcd6ef859b6ce',
  '1e3d119932ed540ad8dc9f8a9dd3039fa1978bb438a6fcb8ea42d3913d2cf4cb',
  'd82ba2070bfaf7930a6ba0e777d7e2c327a9f58e6372453662222d71dc137ad6',
  '164cd2de5bf5ab5c08ae3f178181b457044a3d360cd7fdc4fab67598361d300b',
  '427bacdfa25c153d6f3347dc722333a354453851cd146e4a496e8cb9778d67a2',
]);

/** Whether the private key of this public key (65 bytes) is printed in a standard or in published vectors. */
export function isPublishedKey(publicKey: Uint8Array): boolean {
  const x = Array.from(publicKey.subarray(1, 33), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return PUBLISHED_X_COORDINATES.has(x);
}
