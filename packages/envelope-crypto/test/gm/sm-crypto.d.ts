/**
 * The part of sm-crypto that serves as an oracle. Texts are hexadecimal, ciphertexts C1 C3 C2 without the leading 04.
 */
declare module 'sm-crypto' {
  export const sm2: {
    doEncrypt(message: number[], publicKey: string, cipherMode: 1): string;
    doDecrypt(ciphertext: string, privateKey: string, cipherMode: 1, options: { output: 'array' }): number[];
  };
}
